// Package audit keeps what operators decided, so that it is never lost, never altered unseen and never attributed to another.
//
// # What it is
//
// A log of records in a SQLite file. A record is its stored bytes: three lines (header, intent, signature) that are hashed and never written anew. Each record
// names the one before it, all of them are the leaves of a Merkle tree, and after every append the machine signs a checkpoint of that tree. What became of a
// decision is folded from the records; the tables beside the log are projections, there to enforce one live decision per case.
//
// The machine that writes remembers, outside the file, the last checkpoint (the pin) and the bytes of every record (the journal). A file that is older than
// the pin, or that does not extend it, opens for reading only, and says why.
//
// # What it never does
//
// It decides nothing: whoever appends has asked the guard. It sends nothing. It opens the database, its -wal and its -shm by SQLite alone, as closing any other
// descriptor of them would drop SQLite's locks. It repairs nothing by itself.
//
// # Invariants
//
//   - Sequence numbers are gapless from 0; a record's leaf is the hash of its bytes; prev is the leaf before it; the root of all leaves is the head's.
//   - The head only grows, in the transaction that appends the records and changes the projections.
//   - The projections, all columns, equal the fold of the records; the schema's text equals the one compiled in.
//   - A case has at most one live decision. One id names one record.
//   - What was acknowledged is in the file, the journal and the pin, whatever happens next. The pin never goes back.
//   - Evidence stands outside the log under a salted commitment: it can be removed without breaking a proof.
package audit
