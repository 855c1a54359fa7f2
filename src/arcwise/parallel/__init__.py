"""Where tasks are done: on threads of this process, or on the workers of an executor or of a Dask cluster."""
