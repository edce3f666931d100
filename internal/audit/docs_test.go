package audit_test

import (
	"os"
	"strings"
	"testing"

	"example.com/idemctl/internal/audit"
)

// TestStatesPage: docs/states.md draws exactly the steps of the table.
func TestStatesPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/states.md")
	if err != nil {
		t.Fatal(err)
	}
	var edges strings.Builder
	for _, s := range audit.Steps {
		edges.WriteString("    " + s.From.String() + " --> " + s.To.String() + ": " + s.When + "\n")
	}
	block := "[*] --> decided: an operator decided, and the guard allowed it\n" + edges.String() + "```\n"
	if !strings.Contains(string(page), block) {
		t.Errorf("docs/states.md does not draw these steps:\n%s", edges.String())
	}
}
