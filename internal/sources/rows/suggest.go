package rows

import (
	"fmt"
	"strings"

	"example.com/idemctl/internal/spelling"
)

// listed is how many names a hint lists.
const listed = 8

// Suggest is the hint for a table or column that is not there: the known name nearest to the wanted one, or what there is. Without known names it is "".
func Suggest(what, wanted string, known []string) string {
	near := spelling.Meant(wanted, known)
	switch {
	case near != "":
		return `did you mean "` + near + `"?` // made safe by whoever shows it, as every name from a store
	case len(known) == 0:
		return ""
	case len(known) > listed:
		return fmt.Sprintf("there are %d %ss: %s …", len(known), what, strings.Join(known[:listed], ", "))
	}
	return "there is: " + strings.Join(known, ", ")
}
