"""/practice: hands by what is hard for somebody, in private, and what improved."""
