"""A function or kernel of a PTX module as C: its head, its registers, and operands as C expressions."""

import re
import struct

TYPES = {f"{letter}{bits}": f"{name}{bits}_t" for letter, name in zip("sub", ("int", "uint", "uint"), strict=True)
         for bits in (8, 16, 32, 64)}  # fmt: skip
TYPES |= {"f32": "float", "f64": "double", "pred": "int"}
FLOATS = ("float", "double")
THREAD = ("tid", "ntid", "ctaid", "nctaid")
SPECIAL = {f"%{name}.x": f"here.{name}" for name in THREAD}
SPECIAL |= {f"%{name}.{axis}": f"{int(name[0] == 'n')}u" for name in THREAD for axis in "yz"}
SPECIAL |= {"%laneid": "(here.tid & 31)", "%clock64": "0", "%SP": "SP", "%SPL": "SPL"}

RUN = """
static void job_{name}(void **arguments) {{ f_{name}({arguments}); }}
void run_{name}(const unsigned *grid, void **arguments) {{
  unsigned before = _mm_getcsr();
  _mm_setcsr(0x1f80); /* rounded, not flushed, whatever the process does */
  here.nctaid = grid[0], here.ntid = grid[1];
  run_threads(job_{name}, arguments);
  _mm_setcsr(before);
  {end}
}}
"""
"""What the driver calls of a kernel."""


class Function:
    """One function: parameters, types of registers by the letters of their names, and lines of C.

    Args:
        head: its declaration in PTX.
        functions: names of the functions of the module that were met so far; this one is added.
        counted: where instructions are counted, the place of each by its name.
        watched: whether `touch` is called at each access to memory.
    """

    def __init__(self, head: str, functions: set[str], counted: dict[str, int] | None = None, watched: bool = False):
        self.kernel = ".entry" in head
        self.name = re.search(r"\.(?:entry|func)\s*(?:\([^)]*\)\s*)?([\w$]+)", head)[1]
        self.parameters = re.findall(r"\.param[^,()]*?([\w$]+)(?:\[\d+\])?\s*(?=[,)])", head)
        self.signature = (
            f"static void f_{self.name}({', '.join(f'char *{name}' for name in self.parameters) or 'void'})"
        )
        self.types: dict[str, str] = {}
        self.lines: list[str] = []
        self.functions, self.counted, self.watched = functions, counted, watched
        functions.add(self.name)

    def text(self) -> str:
        """The function in C, and what launches it."""
        body = f"{self.signature} {{\n" + "\n".join(self.lines) + "\n}\n"
        if not self.kernel:
            return body
        arguments = ", ".join(f"arguments[{i}]" for i in range(len(self.parameters)))
        end = f'tell("{self.name}", names, sizeof names / sizeof *names);' if self.counted is not None else ""
        return body + RUN.format(name=self.name, arguments=arguments, end=end)

    def declare(self, line: str) -> None:
        """Registers or a variable."""
        registers = re.match(r"\.reg \.(\w+)\s+%?(\w+)(?:<(\d+)>)?", line)
        if registers:
            kind, name, count = registers.groups()
            self.types[name] = TYPES[kind] if kind[0] in "fp" else f"uint{kind[1:]}_t"
            each = [f"{name}{i} = 0" for i in range(int(count))] if count else [f"{name} = 0"]
            self.lines.append(f"{self.types[name]} {', '.join(each)};")
            return
        pattern = r"\.(?:local|param) (?:\.align \d+ )?\.(\w+)\s+([\w$]+)(?:\[(\d+)\])?"
        kind, name, size = re.match(pattern, line).groups()
        words = -(-int(size or 1) * int(kind[1:]) // 64)
        self.lines.append(f"uint64_t {name}[{words}] __attribute__((aligned(16)));")

    def symbol(self, name: str) -> str:
        """C's name of a function or variable of the module."""
        return f"f_{name}" if name in self.functions else name

    def type(self, register: str) -> str | None:
        """C's type of a register, None of what is none."""
        match = re.match(r"%([a-z]+)\d+$", register)
        return self.types.get(match[1]) if match else "uint64_t" if register in ("%SP", "%SPL") else None

    def value(self, word: str, wanted: str) -> str:
        """An operand as a C expression of that type; between real and integer the bits stay."""
        if word in SPECIAL:
            return SPECIAL[word]
        if word[:2] in ("0f", "0d"):
            return _literal(word, wanted)
        if re.match(r"-?(0x[0-9a-fA-F]+|\d+)U?$", word):
            return f"(({wanted}){word.rstrip('U')}ll)"
        own, name = self.type(word), word[1:]
        if own is None:
            return f"(uint64_t)(uintptr_t){self.symbol(word)}"
        if (own in FLOATS) != (wanted in FLOATS):
            return f"BITS({wanted}, {own}, {name})"
        return name if own == wanted else f"({wanted}){name}"

    def set(self, register: str, value: str, type: str) -> str:
        """Assign a C expression of that type to a register."""
        if register == "_":
            return f"(void)({value});"
        own = self.type(register)
        if (own in FLOATS) != (type in FLOATS):
            value = f"BITS({own}, {type}, {value})"
        return f"{register[1:]} = {value};"

    def address(self, place: str) -> str:
        """An address in brackets as a C expression."""
        base, _, offset = place.strip("[]").partition("+")
        start = self.value(base, "uint64_t") if base.startswith("%") else f"(uintptr_t){self.symbol(base)}"
        return f"{start} + ({offset or 0})"


def _literal(word: str, wanted: str) -> str:
    """A real number, given in PTX by its bits."""
    single = word[1] == "f"
    number = struct.unpack(">f" if single else ">d", bytes.fromhex(word[2:]))[0]
    own, bits = ("float", "uint32_t") if single else ("double", "uint64_t")
    if wanted == own and number - number == 0.0:
        return f"{number!r}{'f' if single else ''}"
    return f"BITS({wanted}, {bits}, 0x{word[2:]}ull)"
