"""A back-end that does the last task first: what depends on the order of the tasks, or on workers, shows."""


class Backwards:
    def map(self, function, tasks, *, shared=None, progress=None):
        found = [function(task) if shared is None else function(task, shared) for task in reversed(tasks)]
        return found[::-1]
