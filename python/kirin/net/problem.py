"""What goes wrong with a file."""


class FileProblem(ValueError):
    """A file cannot be used; the text names the file and says what to do."""
