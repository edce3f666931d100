package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

var shells = []string{"bash", "zsh", "fish", "powershell"}

func newCompletion(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:       "completion SHELL",
		Short:     "print the completion script for bash, zsh, fish or powershell",
		Long:      "Prints a completion script. For bash: source <(idemctl completion bash)",
		Args:      arguments(1, 1, "one shell: bash, zsh, fish or powershell"),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(env.Out, true)
			case "zsh":
				return root.GenZshCompletion(env.Out)
			case "fish":
				return root.GenFishCompletion(env.Out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(env.Out)
			}
			return &usageError{what: fmt.Sprintf("no completion for %q", args[0]), hint: suggest(args[0], shells)}
		},
	}
}
