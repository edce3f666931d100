// Package scan is the pipeline: read, sieve, fetch, judge, keep. It knows no screen.
package scan
