"""What players can do: each module takes a `Turn` and returns the `Move` that answers it."""
