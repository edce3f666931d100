package audit

import "fmt"

// EventType says what a record tells.
type EventType string

// The types of records.
const (
	EventCreated   EventType = "store.created"       // the first record of every trail
	EventAdopted   EventType = "store.adopted"       // a machine that remembered nothing of this trail took it as it was
	EventDecided   EventType = "decision.made"       // an operator decided a case
	EventWithdrawn EventType = "decision.withdrawn"  // an operator took a decision back
	EventExpired   EventType = "decision.expired"    // its valid_until had passed when the next decision of its case was made
	EventOutcome   EventType = "decision.outcome"    // what came of it
	EventHandedOut EventType = "decision.handed-out" // given to the service's worker: from now on it may have been sent
	EventRefused   EventType = "guard.refused"       // the guard refused what an operator wanted
	EventRevealed  EventType = "payload.revealed"    // an operator looked at payloads
	EventExported  EventType = "export.made"         // a copy left the trail, or the scan
	EventRestore   EventType = "restore.confirmed"   // an operator confirmed or corrected what a restore took of a store
	EventRetracted EventType = "restore.withdrawn"   // an operator took such a confirmation back
)

// EventTypes are all types, in the order of documentation.
var EventTypes = []EventType{EventCreated, EventAdopted, EventDecided, EventWithdrawn, EventExpired, EventOutcome, EventHandedOut, EventRefused, EventRevealed, EventExported, EventRestore, EventRetracted}

// ParseEventType reads the word of a record's type.
func ParseEventType(w string) (EventType, error) {
	for _, t := range EventTypes {
		if string(t) == w {
			return t, nil
		}
	}
	return "", fmt.Errorf("%q is not a type of record", w)
}

func (t EventType) String() string { return string(t) }

// note reports whether Note may write a record of this type.
func (t EventType) note() bool { return t == EventRefused || t == EventRevealed || t == EventExported }

// window reports whether a record of this type says what a restore took of a store.
func (t EventType) window() bool { return t == EventRestore || t == EventRetracted }
