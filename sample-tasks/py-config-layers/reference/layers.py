"""Settings of the service, merged from three layers: defaults, then the file, then the environment.

A later layer replaces single values and leaves the rest alone. Nested tables are merged key by key.
"""

import copy


class ConfigError(Exception):
    """A setting that cannot be used; the message names it the way the user wrote it."""


def merge(lower, upper, where=""):
    """Return `lower` with the values of `upper` laid over it. Neither of them is changed.

    A key that `lower` does not know is refused, so that a typing error in the file is noticed.
    """
    result = copy.deepcopy(lower)
    for key, value in upper.items():
        path = f"{where}{key}"
        if key not in lower:
            raise ConfigError(f"unknown setting {path}")
        if isinstance(lower[key], dict):
            if not isinstance(value, dict):
                raise ConfigError(f"{path} is a table")
            result[key] = merge(lower[key], value, f"{path}.")
        else:
            result[key] = copy.deepcopy(value)
    return result


def read_as(text, sample, name):
    """Return `text`, the value of the variable `name`, as the type that `sample` has.

    Lists are separated by commas. A switch is 1, true, yes or on, or 0, false, no or off, in any case.
    """
    kind = type(sample)
    text = text.strip()
    if kind is list:
        return [part.strip() for part in text.split(",") if part.strip()]
    if kind is bool:
        word = text.lower()
        if word in ("1", "true", "yes", "on"):
            return True
        if word in ("0", "false", "no", "off"):
            return False
        raise ConfigError(f"{name}: {text!r} is not a bool")
    try:
        return kind(text)
    except ValueError:
        raise ConfigError(f"{name}: {text!r} is not a {kind.__name__}") from None


def from_environment(defaults, environ, prefix):
    """Return the layer that the environment holds.

    APP_HTTP__PORT with the prefix APP is the key `port` of the table `http`. Variables that fit no
    setting are left alone, because the prefix may be shared with other programs.
    """
    layer = {}
    for key, sample in defaults.items():
        name = f"{prefix}_{key.upper()}"
        if isinstance(sample, dict):
            inner = from_environment(sample, environ, f"{name}_")
            if inner:
                layer[key] = inner
        elif name in environ:
            layer[key] = read_as(environ[name], sample, name)
    return layer


def load(defaults, file_values, environ, prefix="APP"):
    """Return the settings in force."""
    settings = merge(defaults, file_values)
    return merge(settings, from_environment(defaults, environ, prefix))
