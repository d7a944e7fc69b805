"""What goes wrong with a file."""


class FileProblem(ValueError):
    """A file cannot be used; the text names the file and says what to do.

    >>> import kirin.net
    >>> kirin.net.read_samples("train/networks/wangqi.safetensors")
    Traceback (most recent call last):
    kirin.net.problem.FileProblem: train/networks/wangqi.safetensors: this is a network file where a samples file is needed
    """
