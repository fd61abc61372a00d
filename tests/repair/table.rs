//! Shapes of answers, in our own words: what each is read as and what it makes of the file.

use super::apply_to;
use mendbench::repair::{Asked, FinishReason, Form, Place, Policy, apply, extract};
use mendbench::task::{Content, Target};

/// One case.
pub struct Case {
    /// What it is about.
    pub about: &'static str,
    /// File name, which tells the language.
    pub file: &'static str,
    /// Function that is asked for; empty: only the file.
    pub function: &'static str,
    /// The file as it is.
    pub current: &'static str,
    /// The answer.
    pub answer: &'static str,
    /// Outcomes: extraction and application.
    pub outcomes: (&'static str, &'static str),
    /// The file afterwards; empty: as before.
    pub expected: &'static str,
    /// What was asked for and how the model stopped, where it is not a function and unknown.
    pub setting: Setting,
}

/// What is not as usual.
#[derive(Debug, Clone, Copy, Default)]
pub struct Setting {
    pub form: Form,
    pub finish: FinishReason,
    pub policy: Policy,
    pub place: Option<(u32, u32)>,
}

const USUAL: Setting =
    Setting { form: Form::Function, finish: FinishReason::Unknown, policy: Policy::Lenient, place: None };

const fn form(form: Form) -> Setting {
    Setting { form, ..USUAL }
}

const fn finish(finish: FinishReason) -> Setting {
    Setting { finish, ..USUAL }
}

const STRICT: Setting = Setting { policy: Policy::Strict, ..USUAL };

macro_rules! cases {
    ($($about:literal, $file:literal, $function:literal, $current:expr, $answer:expr, $extraction:literal, $application:literal, $expected:expr, $setting:expr;)+) => {
        /// All cases.
        pub const CASES: &[Case] = &[$(Case {
            about: $about, file: $file, function: $function, current: $current, answer: $answer,
            outcomes: ($extraction, $application), expected: $expected, setting: $setting,
        }),+];
    };
}

/// Two functions and an import.
const PY: &str =
    "import os\n\n\ndef one(x):\n    return x\n\n\ndef two(x):\n    y = one(x)\n    return y - 1\n";
const PY_NEW: &str =
    "import os\n\n\ndef one(x):\n    return x\n\n\ndef two(x):\n    y = one(x)\n    return y + 1\n";
/// A class.
const PY_CLASS: &str = "class Box:\n    def __init__(self):\n        self.items = []\n\n    @property\n    def size(self):\n        return 0\n\n    def push(self, item):\n        pass\n";
const PY_CLASS_NEW: &str = "class Box:\n    def __init__(self):\n        self.items = []\n\n    @property\n    def size(self):\n        return 0\n\n    def push(self, item):\n        self.items.append(item)\n";
const C: &str = "#include <stdio.h>\n\n/* Adds. */\nstatic int add(int a, int b)\n{\n    return a - b;\n}\n\nint twice(int a)\n{\n    return add(a, a);\n}\n";
const C_NEW: &str = "#include <stdio.h>\n\n/* Adds. */\nstatic int add(int a, int b)\n{\n    return a + b;\n}\n\nint twice(int a)\n{\n    return add(a, a);\n}\n";
const JS: &str = "'use strict';\n\nclass Bus {\n  on(name, f) {\n    this.map[name] = f;\n  }\n\n  off(name) {\n    return this.map[name];\n  }\n}\n\nmodule.exports = { Bus };\n";
const JS_NEW: &str = "'use strict';\n\nclass Bus {\n  on(name, f) {\n    this.map[name] = f;\n  }\n\n  off(name) {\n    delete this.map[name];\n  }\n}\n\nmodule.exports = { Bus };\n";
const RUST: &str = "use std::fmt;\n\nstruct S;\n\nimpl S {\n    /// Counts.\n    #[inline]\n    pub fn count(&self) -> usize {\n        0\n    }\n}\n";
const RUST_NEW: &str = "use std::fmt;\n\nstruct S;\n\nimpl S {\n    /// Counts.\n    #[inline]\n    pub fn count(&self) -> usize {\n        1\n    }\n}\n";
const JAVA: &str = "package a;\n\nimport java.util.List;\n\npublic class Stack {\n    private int size;\n\n    @Override\n    public int size() {\n        return 0;\n    }\n\n    public int add(int a) {\n        return a;\n    }\n\n    public int add(int a, int b) {\n        return a - b;\n    }\n}\n";
const JAVA_NEW: &str = "package a;\n\nimport java.util.List;\n\npublic class Stack {\n    private int size;\n\n    @Override\n    public int size() {\n        return size;\n    }\n\n    public int add(int a) {\n        return a;\n    }\n\n    public int add(int a, int b) {\n        return a - b;\n    }\n}\n";
const JAVA_ADD: &str = "package a;\n\nimport java.util.List;\n\npublic class Stack {\n    private int size;\n\n    @Override\n    public int size() {\n        return 0;\n    }\n\n    public int add(int a) {\n        return a;\n    }\n\n    public int add(int a, int b) {\n        return a + b;\n    }\n}\n";
const CPP: &str = "#include <vector>\n\nclass Ring {\npublic:\n    int size() const { return 0; }\n    void push(int v);\n};\n\nvoid Ring::push(int v) {\n    data_.push_back(v + 1);\n}\n\ntemplate <class T>\nT most(T a, T b) {\n    return a < b ? a : b;\n}\n";
const CPP_NEW: &str = "#include <vector>\n\nclass Ring {\npublic:\n    int size() const { return 0; }\n    void push(int v);\n};\n\nvoid Ring::push(int v) {\n    data_.push_back(v);\n}\n\ntemplate <class T>\nT most(T a, T b) {\n    return a < b ? a : b;\n}\n";
const TWINS: &str = "a = 1\nprint(a)\nb = 2\nprint(a)\n";
const LIST: &str = "def walk(items):\n    total = 0\n    for item in items:\n        total = total + item\n    count = len(items)\n    if count == 0:\n        return 0\n    return total / count + 1\n";
const LIST_NEW: &str = "def walk(items):\n    total = 0\n    for item in items:\n        total = total + item\n    count = len(items)\n    if count == 0:\n        return 0\n    return total / count\n";

cases! {
    // Fences.
    "a fence with a tag", "a.py", "two", PY, "Fixed:\n\n```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```\n", "found", "exact", PY_NEW, USUAL;
    "a fence without a tag", "a.py", "two", PY, "```\ndef two(x):\n    y = one(x)\n    return y + 1\n```", "found", "exact", PY_NEW, USUAL;
    "a tag in capitals with a number", "a.py", "two", PY, "```Python3\ndef two(x):\n    y = one(x)\n    return y + 1\n```", "found", "exact", PY_NEW, USUAL;
    "a wrong tag", "a.c", "add", C, "```cpp\nstatic int add(int a, int b)\n{\n    return a + b;\n}\n```", "found", "exact", C_NEW, USUAL;
    "a tag of diff on code", "a.c", "add", C, "```diff\nstatic int add(int a, int b)\n{\n    return a + b;\n}\n```", "found", "exact", C_NEW, USUAL;
    "tildes", "a.c", "add", C, "~~~c\nstatic int add(int a, int b)\n{\n    return a + b;\n}\n~~~", "found", "exact", C_NEW, USUAL;
    "a fence in a list", "a.py", "two", PY, "1. Change it:\n\n   ```python\n   def two(x):\n       y = one(x)\n       return y + 1\n   ```\n", "found", "exact", PY_NEW, USUAL;
    "a fence in a quotation", "a.py", "two", PY, "> ```python\n> def two(x):\n>     y = one(x)\n>     return y + 1\n> ```\n", "found", "exact", PY_NEW, USUAL;
    "a fence at the end of a line of words", "a.py", "two", PY, "The fix: ```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```\n", "found", "exact", PY_NEW, USUAL;
    "a fence behind a sentence", "a.py", "two", PY, "Here is the function. ```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```\nThis works.\n", "found", "exact", PY_NEW, USUAL;
    "words about a fence open none", "a.py", "two", PY, "I close the ```python\nfence as asked:\n\n```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```\n", "found", "exact", PY_NEW, USUAL;
    "a closing fence behind code", "a.py", "two", PY, "```python\ndef two(x):\n    y = one(x)\n    return y + 1```\nThat is all.\n", "found", "exact", PY_NEW, USUAL;
    "line ends of Windows in the answer", "a.py", "two", PY, "```python\r\ndef two(x):\r\n    y = one(x)\r\n    return y + 1\r\n```\r\n", "found", "exact", PY_NEW, USUAL;
    "an unclosed fence that is whole", "a.py", "two", PY, "```python\ndef two(x):\n    y = one(x)\n    return y + 1\n", "found", "exact", PY_NEW, finish(FinishReason::Stop);
    "a fence inside a docstring", "a.py", "two", PY, "```python\ndef two(x):\n    \"\"\"As\n    ```\n    two(1)\n    ```\n    \"\"\"\n    return 1\n```\nDone.\n", "found", "exact", "import os\n\n\ndef one(x):\n    return x\n\n\ndef two(x):\n    \"\"\"As\n    ```\n    two(1)\n    ```\n    \"\"\"\n    return 1\n", USUAL;
    "a longer fence around shorter ones", "a.py", "two", PY, "````markdown\nFix:\n```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```\n````\n", "found", "exact", PY_NEW, USUAL;
    "markdown in a fence of the same length", "a.py", "two", PY, "```markdown\nFix:\n```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```\nDone.\n```\n", "found", "exact", PY_NEW, USUAL;
    // Several blocks.
    "the buggy code is quoted first", "a.py", "two", PY, "This is wrong:\n```python\ndef two(x):\n    y = one(x)\n    return y - 1\n```\nThis is right:\n```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```\n", "found", "exact", PY_NEW, USUAL;
    "the buggy code is quoted last", "a.py", "two", PY, "```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```\nIt was:\n```python\ndef two(x):\n    y = one(x)\n    return y - 1\n```\n", "found", "exact", PY_NEW, USUAL;
    "a test behind the fix", "a.py", "two", PY, "```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```\nTest it:\n```python\nassert two(1) == 2\n```\n", "found", "exact", PY_NEW, USUAL;
    "a command behind the fix", "a.py", "two", PY, "```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```\n```bash\npytest -q\n```\n", "found", "exact", PY_NEW, USUAL;
    "a command without a tag before the fix", "a.py", "two", PY, "```\n$ pip install x\n```\n```\ndef two(x):\n    y = one(x)\n    return y + 1\n```\n", "found", "exact", PY_NEW, USUAL;
    "output behind the fix", "a.py", "two", PY, "```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```\n```text\n2 passed in 0.1 s\n```\n", "found", "exact", PY_NEW, USUAL;
    "a second thought", "a.py", "two", PY, "```python\ndef two(x):\n    return 0\n```\nWait, that is wrong. Better:\n```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```\n", "found", "exact", PY_NEW, USUAL;
    "two alternatives", "a.py", "two", PY, "Option 1:\n```python\ndef two(x):\n    return 0\n```\nOption 2:\n```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```\n", "ambiguous", "exact", PY_NEW, USUAL;
    "two alternatives, strictly", "a.py", "two", PY, "Option 1:\n```python\ndef two(x):\n    return 0\n```\nOption 2:\n```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```\n", "ambiguous", "rejected", "", STRICT;
    "the whole and then the changed line", "a.py", "two", PY, "```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```\nThe change is:\n```python\n    return y + 1\n```\n", "found", "exact", PY_NEW, USUAL;
    "the import in a block of its own", "a.py", "two", PY, "Add\n```python\nimport math\n```\nand change\n```python\ndef two(x):\n    return math.floor(x)\n```\n", "found", "exact", "import os\nimport math\n\n\ndef one(x):\n    return x\n\n\ndef two(x):\n    return math.floor(x)\n", USUAL;
    "a lazy copy behind the whole", "a.py", "two", PY, "```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```\nIn short:\n```python\ndef two(x):\n    # ... existing code ...\n    return y + 1\n```\n", "found", "exact", PY_NEW, USUAL;
    // Reasoning.
    "reasoning with code in it", "a.py", "two", PY, "<think>\nMaybe\n```python\ndef two(x):\n    return 0\n```\n</think>\n```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```\n", "found", "exact", PY_NEW, USUAL;
    "a closing tag of reasoning only", "a.py", "two", PY, "Maybe\n```python\ndef two(x):\n    return 0\n```\n</think>\n```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```\n", "found", "exact", PY_NEW, USUAL;
    "reasoning in reasoning", "a.py", "two", PY, "<think>a\n<think>b</think>\nc</think>\n```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```\n", "found", "exact", PY_NEW, USUAL;
    "reasoning that never ends, with code", "a.py", "two", PY, "<think>So it is\n```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```\n", "found", "exact", PY_NEW, USUAL;
    "reasoning that never ends, strictly", "a.py", "two", PY, "<think>So it is\n```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```\n", "found", "rejected", "", STRICT;
    "reasoning up to the limit", "a.py", "two", PY, "<think>Let me see. The function", "truncated", "rejected", "", finish(FinishReason::Length);
    "channels left in", "a.py", "two", PY, "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```", "found", "exact", PY_NEW, USUAL;
    // Without fences.
    "bare code", "a.py", "two", PY, "def two(x):\n    y = one(x)\n    return y + 1\n", "found", "exact", PY_NEW, USUAL;
    "bare code among words", "a.c", "add", C, "The sign is wrong. Here is add again:\n\nstatic int add(int a, int b)\n{\n    return a + b;\n}\n\nIt now adds.\n", "found", "exact", C_NEW, USUAL;
    "code in tags", "a.py", "two", PY, "<answer>\ndef two(x):\n    y = one(x)\n    return y + 1\n</answer>", "found", "exact", PY_NEW, USUAL;
    "code in JSON", "a.py", "two", PY, "{\"explanation\": \"sign\", \"code\": \"def two(x):\\n    y = one(x)\\n    return y + 1\\n\"}", "found", "exact", PY_NEW, USUAL;
    "a mark of the server at the end", "a.py", "two", PY, "def two(x):\n    y = one(x)\n    return y + 1\n<|im_end|>", "found", "exact", PY_NEW, USUAL;
    "line numbers of the prompt", "a.py", "two", PY, "```python\n8 | def two(x):\n9 |     y = one(x)\n10 |     return y + 1\n```", "found", "exact", PY_NEW, USUAL;
    "prompts of a session", "a.py", "two", PY, "```python\n>>> def two(x):\n...     y = one(x)\n...     return y + 1\n```", "found", "exact", PY_NEW, USUAL;
    "typographic quotes", "a.py", "two", PY, "```python\ndef two(x):\n    return \u{201c}a\u{201d}\n```", "found", "exact", "import os\n\n\ndef one(x):\n    return x\n\n\ndef two(x):\n    return \"a\"\n", USUAL;
    // No code.
    "a refusal", "a.py", "two", PY, "I'm sorry, but I can't help with that.", "refusal", "rejected", "", USUAL;
    "words only", "a.py", "two", PY, "The loop should count upwards.", "no-code", "rejected", "", USUAL;
    "a question back", "a.py", "two", PY, "Could you please provide the tests?", "no-code", "rejected", "", USUAL;
    "nothing is wrong", "a.py", "two", PY, "The code is already correct.", "no-code", "rejected", "", USUAL;
    "nothing", "a.py", "two", PY, "", "empty", "rejected", "", USUAL;
    "blanks", "a.py", "two", PY, " \n\n", "empty", "rejected", "", USUAL;
    "an empty fence", "a.py", "two", PY, "```python\n```", "no-code", "rejected", "", USUAL;
    "a command only", "a.py", "two", PY, "Run\n```sh\npytest\n```", "no-code", "rejected", "", USUAL;
    // Truncated, lazy, wrong.
    "cut off in the middle", "a.c", "add", C, "```c\nstatic int add(int a, int b)\n{\n    if (a >", "truncated", "rejected", "", finish(FinishReason::Length);
    "cut off, strictly", "a.c", "add", C, "```c\nstatic int add(int a, int b)\n{\n    if (a >", "truncated", "rejected", "", STRICT;
    "cut off behind the code", "a.py", "two", PY, "```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```\nThis works beca", "found", "exact", PY_NEW, finish(FinishReason::Length);
    "the limit in the words", "a.py", "two", PY, "Let me think about th", "truncated", "rejected", "", finish(FinishReason::Length);
    "cut off before what was asked for", "a.py", "two", PY, "```python\nimport os\n\ndef one(x):\n    return x\n\ndef t", "truncated", "rejected", "", finish(FinishReason::Length);
    "lazy in Python", "a.py", "two", PY, "```python\ndef two(x):\n    # ... rest of the code unchanged\n    return y + 1\n```", "lazy", "rejected", "", USUAL;
    "lazy in C", "a.c", "add", C, "```c\nstatic int add(int a, int b)\n{\n    /* ... */\n    return a + b;\n}\n```", "lazy", "rejected", "", USUAL;
    "lazy in JavaScript", "a.js", "off", JS, "```js\noff(name) {\n  // existing code here\n}\n```", "lazy", "rejected", "", USUAL;
    "a promise", "a.py", "two", PY, "```python\ndef two(x):\n    pass  # TODO: implement\n```", "lazy", "rejected", "", USUAL;
    "dots that Python means", "a.py", "two", "def two(x):\n    return x[0]\n", "```python\ndef two(x):\n    return x[..., 0]\n```", "found", "exact", "def two(x):\n    return x[..., 0]\n", USUAL;
    "another function", "a.py", "two", PY, "```python\ndef three(x):\n    return x\n```", "wrong-target", "rejected", "", USUAL;
    "the same again", "a.py", "two", PY, "```python\ndef two(x):\n    y = one(x)\n    return y - 1\n```", "found", "no-op", "", USUAL;
    "code that does not parse", "a.c", "add", C, "```c\nstatic int add(int a, int b)\n{\n    return (a + b;\n}\n```", "found", "syntax-error", "#include <stdio.h>\n\n/* Adds. */\nstatic int add(int a, int b)\n{\n    return (a + b;\n}\n\nint twice(int a)\n{\n    return add(a, a);\n}\n", USUAL;
    "an example of use only", "a.py", "two", PY, "```python\n# Example\nresult = two(3)\nprint(result)\n```", "wrong-target", "rejected", "", USUAL;
    "dots of a doctest", "a.py", "two", PY, "```python\ndef two(x):\n    \"\"\"\n    >>> two(None)\n    Traceback (most recent call last):\n        ...\n    \"\"\"\n    return 1\n```", "found", "exact", "import os\n\n\ndef one(x):\n    return x\n\n\ndef two(x):\n    \"\"\"\n    >>> two(None)\n    Traceback (most recent call last):\n        ...\n    \"\"\"\n    return 1\n", USUAL;
    "a comment that only sounds lazy", "a.py", "two", PY, "```python\ndef two(x):\n    # The rest of the arguments remain unchanged\n    return 1\n```", "found", "exact", "import os\n\n\ndef one(x):\n    return x\n\n\ndef two(x):\n    # The rest of the arguments remain unchanged\n    return 1\n", USUAL;
    "a function that is to be made", "a.py", "three", PY, "```python\ndef three(x):\n    return 3\n```", "found", "exact", "import os\n\n\ndef one(x):\n    return x\n\n\ndef two(x):\n    y = one(x)\n    return y - 1\n\n\ndef three(x):\n    return 3\n", USUAL;
    "a method that is to be made", "a.py", "Box.pop", PY_CLASS, "```python\nclass Box:\n    def pop(self):\n        return self.items.pop()\n```", "found", "normalised", "class Box:\n    def __init__(self):\n        self.items = []\n\n    @property\n    def size(self):\n        return 0\n\n    def push(self, item):\n        pass\n\n    def pop(self):\n        return self.items.pop()\n", USUAL;
    "the last of several definitions runs", "a.py", "f", "def f():\n    return 0\n\n\ndef f():\n    return 1\n", "```python\ndef f():\n    return 2\n```", "found", "exact", "def f():\n    return 0\n\n\ndef f():\n    return 2\n", USUAL;
    "an accessor and its twin", "a.py", "C.x", "class C:\n    @property\n    def x(self):\n        return 0\n\n    @x.setter\n    def x(self, value):\n        pass\n", "```python\n@property\ndef x(self):\n    return 1\n```", "found", "normalised", "class C:\n    @property\n    def x(self):\n        return 1\n\n    @x.setter\n    def x(self, value):\n        pass\n", USUAL;
    // Whole files.
    "the whole file", "a.py", "two", PY, "```python\nimport os\n\n\ndef one(x):\n    return x\n\n\ndef two(x):\n    y = one(x)\n    return y + 1\n```", "found", "exact", PY_NEW, form(Form::File);
    "the whole file where a function was asked for", "a.c", "add", C, "```c\n#include <stdio.h>\n\n/* Adds. */\nstatic int add(int a, int b)\n{\n    return a + b;\n}\n\nint twice(int a)\n{\n    return add(a, a);\n}\n```", "found", "exact", C_NEW, USUAL;
    "a function where the whole file was asked for", "a.c", "add", C, "```c\nstatic int add(int a, int b)\n{\n    return a + b;\n}\n```", "found", "exact", C_NEW, form(Form::File);
    "a whole file that drops a helper", "a.py", "two", PY, "```python\nimport os\n\n\ndef two(x):\n    return x + 1\n```", "found", "exact", "import os\n\n\ndef two(x):\n    return x + 1\n", form(Form::File);
    "a whole file in a language without a grammar", "a.go", "", "package a\n\nfunc f() int { return 0 }\n", "```go\npackage a\n\nfunc f() int { return 1 }\n```", "found", "exact", "package a\n\nfunc f() int { return 1 }\n", form(Form::File);
    "a function in a language without a grammar", "a.go", "f", "package a\n\nimport \"x\"\n\nfunc g() {}\n\nfunc f() int { return 0 }\n", "```go\nfunc f() int { return 1 }\n```", "found", "rejected", "", USUAL;
    // Functions and their places.
    "a method without its class, Python", "a.py", "push", PY_CLASS, "```python\ndef push(self, item):\n    self.items.append(item)\n```", "found", "normalised", PY_CLASS_NEW, USUAL;
    "a method as it stands", "a.py", "push", PY_CLASS, "```python\n    def push(self, item):\n        self.items.append(item)\n```", "found", "exact", PY_CLASS_NEW, USUAL;
    "a method in its class", "a.py", "Box.push", PY_CLASS, "```python\nclass Box:\n    def push(self, item):\n        self.items.append(item)\n```", "found", "exact", PY_CLASS_NEW, USUAL;
    "a function in a class of its own", "a.py", "two", PY, "```python\nclass Solution:\n    def two(x):\n        y = one(x)\n        return y + 1\n```", "found", "normalised", PY_NEW, USUAL;
    "a method cut out of its line", "a.js", "off", JS, "```js\noff(name) {\n    delete this.map[name];\n  }\n```", "found", "exact", JS_NEW, USUAL;
    "a method without its class, JavaScript", "a.js", "off", JS, "```javascript\noff(name) {\n  delete this.map[name];\n}\n```", "found", "normalised", JS_NEW, USUAL;
    "a function for a method, JavaScript", "a.js", "Bus.off", JS, "```javascript\nfunction off(name) {\n  delete this.map[name];\n}\n```", "found", "normalised", JS_NEW, USUAL;
    "a method in its class, JavaScript", "a.js", "off", JS, "```js\nclass Bus {\n  off(name) {\n    delete this.map[name];\n  }\n}\n```", "found", "exact", JS_NEW, USUAL;
    "a method without its class, Rust", "a.rs", "count", RUST, "```rust\npub fn count(&self) -> usize {\n    1\n}\n```", "found", "normalised", RUST_NEW, USUAL;
    "a method in its block, Rust", "a.rs", "S::count", RUST, "```rust\nimpl S {\n    pub fn count(&self) -> usize {\n        1\n    }\n}\n```", "found", "exact", RUST_NEW, USUAL;
    "attributes of the answer's own", "a.rs", "count", RUST, "```rust\n#[must_use]\npub fn count(&self) -> usize {\n    1\n}\n```", "found", "normalised", "use std::fmt;\n\nstruct S;\n\nimpl S {\n    /// Counts.\n    #[must_use]\n    pub fn count(&self) -> usize {\n        1\n    }\n}\n", USUAL;
    "an annotated method, Java", "Stack.java", "size", JAVA, "```java\npublic int size() {\n    return size;\n}\n```", "found", "normalised", JAVA_NEW, USUAL;
    "a method in its class, Java", "Stack.java", "size", JAVA, "```java\npublic class Stack {\n    @Override\n    public int size() {\n        return size;\n    }\n}\n```", "found", "exact", JAVA_NEW, USUAL;
    "an overload, Java", "Stack.java", "add", JAVA, "```java\n    public int add(int a, int b) {\n        return a + b;\n    }\n```", "found", "exact", JAVA_ADD, USUAL;
    "an overload that nothing tells, Java", "Stack.java", "add", JAVA, "```java\npublic int add(long a) {\n    return 1;\n}\n```", "found", "rejected", "", USUAL;
    "a qualified method, C++", "a.cpp", "push", CPP, "```cpp\nvoid Ring::push(int v) {\n    data_.push_back(v);\n}\n```", "found", "exact", CPP_NEW, USUAL;
    "a template without its head, C++", "a.cpp", "most", CPP, "```cpp\nT most(T a, T b) {\n    return a < b ? b : a;\n}\n```", "found", "exact", "#include <vector>\n\nclass Ring {\npublic:\n    int size() const { return 0; }\n    void push(int v);\n};\n\nvoid Ring::push(int v) {\n    data_.push_back(v + 1);\n}\n\ntemplate <class T>\nT most(T a, T b) {\n    return a < b ? b : a;\n}\n", USUAL;
    "a decorated function keeps its decorator", "a.py", "size", PY_CLASS, "```python\ndef size(self):\n    return len(self.items)\n```", "found", "normalised", "class Box:\n    def __init__(self):\n        self.items = []\n\n    @property\n    def size(self):\n        return len(self.items)\n\n    def push(self, item):\n        pass\n", USUAL;
    "tabs in the file, blanks in the answer", "a.py", "f", "class A:\n\tdef f(self):\n\t\treturn 1\n", "```python\ndef f(self):\n    if self:\n        return 2\n```", "found", "normalised", "class A:\n\tdef f(self):\n\t\tif self:\n\t\t\treturn 2\n", USUAL;
    "line ends of Windows in the file", "a.c", "f", "int f(void)\r\n{\r\n    return 0;\r\n}\r\nint g;\r\n", "```c\nint f(void)\n{\n    return 1;\n}\n```", "found", "exact", "int f(void)\r\n{\r\n    return 1;\r\n}\r\nint g;\r\n", USUAL;
    "a mark at the beginning, no line end at the end", "a.py", "f", "\u{feff}def f():\n    return 0", "```python\ndef f():\n    return 1\n```", "found", "exact", "\u{feff}def f():\n    return 1", USUAL;
    "a style of parameters of old", "a.c", "f", "int f(a)\nint a;\n{\n    return a;\n}\n", "```c\nint f(a)\nint a;\n{\n    return a + 1;\n}\n```", "found", "exact", "int f(a)\nint a;\n{\n    return a + 1;\n}\n", USUAL;
    // What comes along.
    "an import that is needed", "a.py", "two", PY, "```python\nimport math\n\ndef two(x):\n    return math.floor(x)\n```", "found", "exact", "import os\nimport math\n\n\ndef one(x):\n    return x\n\n\ndef two(x):\n    return math.floor(x)\n", USUAL;
    "an import that nothing needs", "a.py", "two", PY, "```python\nimport sys\n\ndef two(x):\n    y = one(x)\n    return y + 1\n```", "found", "exact", PY_NEW, USUAL;
    "an include", "a.c", "add", C, "```c\n#include <stdlib.h>\n\nstatic int add(int a, int b)\n{\n    return a + b;\n}\n```", "found", "exact", "#include <stdio.h>\n#include <stdlib.h>\n\n/* Adds. */\nstatic int add(int a, int b)\n{\n    return a + b;\n}\n\nint twice(int a)\n{\n    return add(a, a);\n}\n", USUAL;
    "a use", "a.rs", "f", "fn f() -> u8 {\n    0\n}\n", "```rust\nuse std::cmp;\n\nfn f() -> u8 {\n    cmp::max(1, 2)\n}\n```", "found", "exact", "use std::cmp;\n\nfn f() -> u8 {\n    cmp::max(1, 2)\n}\n", USUAL;
    "a helper that is needed", "a.py", "two", PY, "```python\ndef plus(x):\n    return x + 1\n\ndef two(x):\n    return plus(x)\n```", "found", "exact", "import os\n\n\ndef one(x):\n    return x\n\n\ndef plus(x):\n    return x + 1\n\n\ndef two(x):\n    return plus(x)\n", USUAL;
    "a helper method", "a.py", "push", PY_CLASS, "```python\nclass Box:\n    def push(self, item):\n        self._add(item)\n\n    def _add(self, item):\n        self.items.append(item)\n```", "found", "normalised", "class Box:\n    def __init__(self):\n        self.items = []\n\n    @property\n    def size(self):\n        return 0\n\n    def push(self, item):\n        self._add(item)\n\n    def _add(self, item):\n        self.items.append(item)\n", USUAL;
    "an example call", "a.py", "two", PY, "```python\ndef two(x):\n    y = one(x)\n    return y + 1\n\nprint(two(3))\n```", "found", "exact", PY_NEW, USUAL;
    "a main that nothing needs", "a.c", "add", C, "```c\n#include <stdio.h>\n\nstatic int add(int a, int b)\n{\n    return a + b;\n}\n\nint main(void)\n{\n    return add(1, 2);\n}\n```", "found", "exact", C_NEW, USUAL;
    "the caller is changed too", "a.c", "add", C, "```c\nstatic int add(int a, int b)\n{\n    return a + b;\n}\n\nint twice(int a)\n{\n    return 2 * a;\n}\n```", "found", "exact", "#include <stdio.h>\n\n/* Adds. */\nstatic int add(int a, int b)\n{\n    return a + b;\n}\n\nint twice(int a)\n{\n    return 2 * a;\n}\n", USUAL;
    // Bodies and lines.
    "a body, Python", "a.py", "two", PY, "```python\n    y = one(x)\n    return y + 1\n```", "found", "body-spliced", PY_NEW, USUAL;
    "a body at the margin", "a.py", "two", PY, "```python\ny = one(x)\nreturn y + 1\n```", "found", "body-spliced", PY_NEW, USUAL;
    "a body whose first line lost its blanks", "a.py", "two", PY, "```python\ny = one(x)\n    return y + 1\n```", "found", "body-spliced", PY_NEW, USUAL;
    "a body under a docstring", "a.py", "f", "def f():\n    \"\"\"Doc.\"\"\"\n    return 0\n", "```python\n    return 1\n```", "found", "body-spliced", "def f():\n    \"\"\"Doc.\"\"\"\n    return 1\n", USUAL;
    "a body without fences", "a.py", "two", PY, "    y = one(x)\n    return y + 1\n", "found", "body-spliced", PY_NEW, USUAL;
    "a body, C", "a.c", "add", C, "```c\nreturn a + b;\n```", "found", "body-spliced", C_NEW, USUAL;
    "a body in braces, C", "a.c", "add", C, "```c\n{\n    return a + b;\n}\n```", "found", "body-spliced", C_NEW, USUAL;
    "a body, Rust", "a.rs", "count", RUST, "```rust\n1\n```", "found", "body-spliced", RUST_NEW, USUAL;
    "a line, most alike", "a.py", "walk", LIST, "```python\n    return total / count\n```", "found", "fuzzy(0.833)", LIST_NEW, USUAL;
    "lines between lines that are there", "a.py", "walk", LIST, "```python\n    count = len(items)\n    if not items:\n        return 0\n```", "found", "body-spliced", "def walk(items):\n    total = 0\n    for item in items:\n        total = total + item\n    count = len(items)\n    if not items:\n        return 0\n    return total / count + 1\n", USUAL;
    "a marked line", "a.py", "walk", LIST, "```python\nreturn total / count\n```", "found", "normalised", LIST_NEW, Setting { form: Form::Line, place: Some((7, 8)), ..USUAL };
    "marked lines", "a.py", "walk", LIST, "```python\n    if not items:\n        return None\n```", "found", "exact", "def walk(items):\n    total = 0\n    for item in items:\n        total = total + item\n    count = len(items)\n    if not items:\n        return None\n    return total / count + 1\n", Setting { form: Form::Hunk, place: Some((5, 7)), ..USUAL };
    "a line that is like none", "a.py", "walk", LIST, "```python\nraise KeyError(name)\n```", "found", "rejected", "", form(Form::Line);
    // Patches.
    "a patch", "a.py", "two", PY, "```diff\n--- a/a.py\n+++ b/a.py\n@@ -8,3 +8,3 @@\n def two(x):\n     y = one(x)\n-    return y - 1\n+    return y + 1\n```", "found", "exact", PY_NEW, form(Form::Patch);
    "a patch with wrong numbers", "a.py", "two", PY, "```diff\n--- a/a.py\n+++ b/a.py\n@@ -80,7 +91,2 @@\n def two(x):\n     y = one(x)\n-    return y - 1\n+    return y + 1\n```", "found", "exact", PY_NEW, form(Form::Patch);
    "a patch without numbers", "a.py", "two", PY, "```diff\n--- a/a.py\n+++ b/a.py\n@@ ... @@\n     y = one(x)\n-    return y - 1\n+    return y + 1\n```", "found", "exact", PY_NEW, form(Form::Patch);
    "a patch without names", "a.py", "two", PY, "```diff\n@@ -9,2 +9,2 @@\n     y = one(x)\n-    return y - 1\n+    return y + 1\n```", "found", "exact", PY_NEW, form(Form::Patch);
    "marked lines and nothing else", "a.py", "two", PY, "```diff\n-    return y - 1\n+    return y + 1\n```", "found", "exact", PY_NEW, form(Form::Patch);
    "a patch of another root", "a.py", "two", PY, "```diff\n--- /repo/a.py\n+++ /repo/a.py\n@@ -10 +10 @@\n-    return y - 1\n+    return y + 1\n```", "found", "exact", PY_NEW, form(Form::Patch);
    "a patch among words", "a.py", "two", PY, "Apply this:\n\n--- a/a.py\n+++ b/a.py\n@@ -8,3 +8,3 @@\n def two(x):\n     y = one(x)\n-    return y - 1\n+    return y + 1\n\nIt adds now.\n", "found", "exact", PY_NEW, form(Form::Patch);
    "a patch with lost blanks", "a.py", "two", PY, "```diff\n--- a/a.py\n+++ b/a.py\n@@ -1,10 +1,10 @@\nimport os\n\n\n def one(x):\n     return x\n\n\n def two(x):\n     y = one(x)\n-    return y - 1\n+    return y + 1\n```", "found", "exact", PY_NEW, form(Form::Patch);
    "a patch with blanks at line ends", "a.py", "two", PY, "```diff\n--- a/a.py\n+++ b/a.py\n@@ -9,2 +9,2 @@\n     y = one(x)  \n-    return y - 1\n+    return y + 1\n```", "found", "normalised", PY_NEW, form(Form::Patch);
    "a patch at another depth", "a.py", "push", PY_CLASS, "```diff\n--- a/a.py\n+++ b/a.py\n@@ -9,2 +9,2 @@\n def push(self, item):\n-    pass\n+    self.items.append(item)\n```", "found", "normalised", PY_CLASS_NEW, form(Form::Patch);
    "a patch that is not quite right", "a.py", "walk", LIST, "```diff\n--- a/a.py\n+++ b/a.py\n@@ -1,8 +1,8 @@\n def walk(items):\n     total = 0\n     for item in items:\n         total += item\n     count = len(items)\n     if count == 0:\n         return 0\n-    return total / count + 1\n+    return total / count\n```", "found", "fuzzy(0.944)", LIST_NEW, form(Form::Patch);
    "a fuzzy patch, strictly", "a.py", "walk", LIST, "```diff\n--- a/a.py\n+++ b/a.py\n@@ -1,8 +1,8 @@\n def walk(items):\n     total = 0\n     for item in items:\n         total += item\n     count = len(items)\n     if count == 0:\n         return 0\n-    return total / count + 1\n+    return total / count\n```", "found", "rejected", "", Setting { form: Form::Patch, ..STRICT };
    "a patch that fits twice", "a.py", "", TWINS, "```diff\n--- a/a.py\n+++ b/a.py\n@@ ... @@\n-print(a)\n+print(b)\n```", "found", "rejected", "", form(Form::Patch);
    "a patch that fits twice, with a number", "a.py", "", TWINS, "```diff\n--- a/a.py\n+++ b/a.py\n@@ -4 +4 @@\n-print(a)\n+print(b)\n```", "found", "exact", "a = 1\nprint(a)\nb = 2\nprint(b)\n", form(Form::Patch);
    "a patch of lines that are not there", "a.py", "two", PY, "```diff\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-nothing of this\n+stands there\n```", "found", "rejected", "", form(Form::Patch);
    "a patch that was laid already", "a.py", "two", PY, "```diff\n--- a/a.py\n+++ b/a.py\n@@ -9,2 +9,2 @@\n     y = one(x)\n-    return y - 2\n+    return y - 1\n```", "found", "no-op", "", form(Form::Patch);
    "a patch that leaves the tree", "a.py", "two", PY, "```diff\n--- a/../../x\n+++ b/../../x\n@@ -1 +1 @@\n-a\n+b\n```", "found", "rejected", "", form(Form::Patch);
    "an envelope", "a.py", "two", PY, "*** Begin Patch\n*** Update File: a.py\n@@ def two(x):\n     y = one(x)\n-    return y - 1\n+    return y + 1\n*** End Patch\n", "found", "exact", PY_NEW, form(Form::Patch);
    // SEARCH/REPLACE.
    "a block", "a.py", "two", PY, "a.py\n```python\n<<<<<<< SEARCH\n    return y - 1\n=======\n    return y + 1\n>>>>>>> REPLACE\n```\n", "found", "exact", PY_NEW, form(Form::SearchReplace);
    "a block without a path", "a.py", "two", PY, "<<<<<<< SEARCH\n    return y - 1\n=======\n    return y + 1\n>>>>>>> REPLACE\n", "found", "exact", PY_NEW, form(Form::SearchReplace);
    "a block at another depth", "a.py", "two", PY, "<<<<<<< SEARCH\nreturn y - 1\n=======\nreturn y + 1\n>>>>>>> REPLACE\n", "found", "normalised", PY_NEW, form(Form::SearchReplace);
    "a block whose last marker is lost", "a.py", "two", PY, "```\n<<<<<<< SEARCH\n    return y - 1\n=======\n    return y + 1\n```\n", "found", "exact", PY_NEW, form(Form::SearchReplace);
    "a block with lines left out", "a.py", "walk", LIST, "<<<<<<< SEARCH\n    total = 0\n...\n    return total / count + 1\n=======\n    total = 0\n...\n    return total / count\n>>>>>>> REPLACE\n", "found", "exact", LIST_NEW, form(Form::SearchReplace);
    "a block that fits twice", "a.py", "", TWINS, "<<<<<<< SEARCH\nprint(a)\n=======\nprint(b)\n>>>>>>> REPLACE\n", "found", "rejected", "", form(Form::SearchReplace);
    "a block that is not there", "a.py", "two", PY, "<<<<<<< SEARCH\nnot there\n=======\nnor this\n>>>>>>> REPLACE\n", "found", "rejected", "", form(Form::SearchReplace);
    "markers of a merge", "a.py", "two", PY, "<<<<<<< HEAD\n    return y - 1\n=======\n    return y + 1\n>>>>>>> fix\n", "found", "exact", PY_NEW, form(Form::SearchReplace);
    "code where blocks were asked for", "a.py", "two", PY, "```python\ndef two(x):\n    y = one(x)\n    return y + 1\n```", "found", "exact", PY_NEW, form(Form::SearchReplace);
}

/// Runs a case; what is wrong with it, if anything.
pub fn run(case: &Case) -> Option<String> {
    let content = Content::from(case.current);
    let function = (!case.function.is_empty()).then(|| case.function.to_owned());
    let targets = [Target { file: case.file.to_owned(), function }];
    let asked = Asked {
        language: mendbench::syntax::language::language_of_path(case.file).unwrap(),
        current: [(case.file, &content)].into(),
        targets: &targets,
        protected: &[],
        form: case.setting.form,
        place: case.setting.place.map(|(start, end)| Place { file: case.file.to_owned(), lines: start..end }),
        policy: case.setting.policy,
    };
    let extraction = extract(case.answer, case.setting.finish, &asked);
    let application = apply(&asked, extraction.usable(asked.policy));
    let tree = apply_to(&asked, &application);
    let text = std::str::from_utf8(tree[case.file].bytes()).unwrap().to_owned();
    let expected = if case.expected.is_empty() { case.current } else { case.expected };
    let outcomes = (extraction.outcome.to_string(), application.outcome.to_string());
    let right = text == expected && (outcomes.0.as_str(), outcomes.1.as_str()) == case.outcomes;
    (!right).then(|| {
        format!(
            "{}: {outcomes:?} instead of {:?}; why {:?}, notes {:?} {:?}, pieces {:?}, rivals {:?}\n{text}",
            case.about,
            case.outcomes,
            application.why,
            extraction.notes,
            application.notes,
            extraction.pieces,
            extraction.rivals
        )
    })
}
