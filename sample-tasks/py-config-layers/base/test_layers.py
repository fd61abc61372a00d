import copy
import unittest

from layers import ConfigError, load

DEFAULTS = {
    "debug": False,
    "workers": 4,
    "hosts": ["localhost"],
    "http": {"port": 8080, "timeout": 2.5, "compress": True, "greeting": "hello"},
}


class LayersTest(unittest.TestCase):
    def load(self, file_values=None, **environ):
        return load(DEFAULTS, file_values or {}, environ)

    def test_defaults_alone(self):
        self.assertEqual(self.load(), DEFAULTS)

    def test_file_replaces_single_values(self):
        settings = self.load({"http": {"port": 9000}})
        self.assertEqual(settings["http"]["port"], 9000)
        self.assertEqual(settings["http"]["timeout"], 2.5)

    def test_environment_wins_over_file(self):
        settings = self.load({"workers": 8}, APP_WORKERS="16")
        self.assertEqual(settings["workers"], 16)

    def test_numbers_and_lists_keep_their_type(self):
        settings = self.load(APP_HTTP__TIMEOUT="1", APP_HOSTS="a.example, b.example")
        self.assertIsInstance(settings["http"]["timeout"], float)
        self.assertEqual(settings["hosts"], ["a.example", "b.example"])

    def test_switch_on(self):
        for word in ("1", "true", "Yes", " ON "):
            with self.subTest(word):
                self.assertIs(self.load(APP_DEBUG=word)["debug"], True)

    def test_switch_off(self):
        for word in ("0", "false", "No", " OFF "):
            with self.subTest(word):
                self.assertIs(self.load(APP_HTTP__COMPRESS=word)["http"]["compress"], False)

    def test_environment_switches_off_what_the_file_switched_on(self):
        self.assertIs(self.load({"debug": True}, APP_DEBUG="false")["debug"], False)

    def test_unclear_switch_is_refused(self):
        with self.assertRaisesRegex(ConfigError, "APP_DEBUG.*maybe"):
            self.load(APP_DEBUG="maybe")

    def test_bad_number_names_the_variable(self):
        with self.assertRaisesRegex(ConfigError, "APP_HTTP__PORT.*eighty"):
            self.load(APP_HTTP__PORT="eighty")

    def test_unknown_key_in_file_is_refused(self):
        with self.assertRaisesRegex(ConfigError, "http.prot"):
            self.load({"http": {"prot": 1}})

    def test_layers_are_not_changed(self):
        before = copy.deepcopy(DEFAULTS)
        self.load(APP_HOSTS="a.example")["hosts"].append("c.example")
        self.load()["http"]["port"] = 1
        self.assertEqual(DEFAULTS, before)


if __name__ == "__main__":
    unittest.main()
