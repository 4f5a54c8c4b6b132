"""PTX instructions as C: those that Taichi's LLVM writes; another one is an error that names it."""

import re
from collections.abc import Callable

from ptx_function import FLOATS, TYPES, Function
from ptx_text import operands

COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
COMPARISONS |= {"lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
BINARY = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^"}
MATHS = {"sqrt": "sqrt", "ex2": "exp2", "lg2": "log2", "sin": "sin", "cos": "cos"}
ROUNDINGS = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
ATOMIC = {
    "add": "old + {b}", "exch": "{b}", "and": "old & {b}", "or": "old | {b}", "xor": "old ^ {b}",
    "min": "old < {b} ? old : {b}", "max": "old > {b} ? old : {b}", "cas": "old == {b} ? {c} : old",
}  # fmt: skip


class Instruction:
    """One instruction of a function: operation, modifiers, operands, and the C type that its last modifier names."""

    def __init__(self, function: Function, text: str):
        name, *rest = text.split(None, 1)
        self.function, self.name = function, name
        self.op, *self.parts = name.split(".")
        self.operands = operands(rest[0]) if rest else []
        self.kind = self.parts[-1] if self.parts else ""
        self.type = TYPES.get(self.kind, "")
        self.real = self.type in FLOATS
        self.suffix = "f" if self.type == "float" else ""  # of C's mathematical functions
        self.flushes = "ftz" in self.parts  # numbers too small for a normal float are zero

    def value(self, i: int, wanted: str | None = None) -> str:
        """Operand i as C."""
        return self._flushed(self.function.value(self.operands[i], wanted or self.type), wanted or self.type)

    def result(self, value: str, type: str | None = None) -> str:
        """Assign to the first operand."""
        return self.function.set(self.operands[0], self._flushed(value, type or self.type), type or self.type)

    def _flushed(self, value: str, type: str) -> str:
        return f"FLUSHED({value})" if self.flushes and type == "float" else value


def statement(function: Function, text: str) -> str:
    """One PTX instruction, with its guard, as C."""
    _, negated, condition, text = re.match(r"(@(!?)%(\w+)\s+)?(.*)$", text, re.S).groups()
    it = Instruction(function, text)
    if it.op not in OPERATIONS:
        raise SystemExit(f"ptx_to_c: no C for {text}")
    does, counted = OPERATIONS[it.op](it), function.counted
    if counted is not None:
        does = f"executed[{counted.setdefault(it.name, len(counted))}]++; {does}"
    if not condition:
        return does
    return f"if ({negated}{condition}) {does}" if does.count(";") == 1 else f"if ({negated}{condition}) {{ {does} }}"


def _move(it: Instruction) -> str:
    """Loads and stores, of one number or several."""
    f, store = it.function, it.op == "st"
    place, given = it.operands if store else it.operands[::-1]
    items = operands(given.strip("{}")) if given.startswith("{") else [given]
    size = int(re.sub(r"\D", "", it.kind)) // 8
    if "param" in it.parts and "[%" not in place:
        base, _, offset = place.strip("[]").partition("+")
        start, seen = f"(char *){base} + {offset or 0}", ""
    else:
        start = f.address(place)
        watched = f.watched and not {"param", "local"} & set(it.parts)  # not the thread's own
        seen = f"touch({start}, {size * len(items)}, {int(store)}); " if watched else ""
    cells = [f"AT({it.type}, {start} + {i * size})" for i in range(len(items))]
    if store:
        written = " ".join(f"{c} = {f.value(item, it.type)};" for c, item in zip(cells, items, strict=True))
        return seen + written + (f" wrote({start}, {size * len(items)});" if seen else "")
    return seen + " ".join(f.set(item, c, it.type) for c, item in zip(cells, items, strict=True))


def _atomic(it: Instruction) -> str:
    if it.op == "red":
        it.operands.insert(0, "_")
    rule = next(ATOMIC[part] for part in it.parts if part in ATOMIC)
    new = rule.format(b=it.value(2), c=it.value(3) if len(it.operands) > 3 else 0)
    place = f"{it.type} *at = ({it.type} *)(uintptr_t)({it.function.address(it.operands[1])}), old = *at;"
    return f"{{ {place} *at = {new}; {it.result('old')} }}"


def _mov(it: Instruction) -> str:
    """A copy, or the way between a wide register and its two halves."""
    f, a = it.function, it.operands
    if "{" not in a[0] + a[1]:
        return it.result(it.value(1))
    bits = int(it.kind[1:]) // 2
    half, whole = f"uint{bits}_t", f"uint{2 * bits}_t"
    if a[0].startswith("{"):
        wide = it.value(1, whole)
        parts = enumerate(operands(a[0].strip("{}")))
        return " ".join(f.set(part, f"({half})({wide} >> {i * bits})", half) for i, part in parts)
    low, high = (f.value(part, half) for part in operands(a[1].strip("{}")))
    return it.result(f"(({whole}){high} << {bits} | {low})", whole)


def _convert(it: Instruction) -> str:
    to, of = TYPES[it.parts[-2]], TYPES[it.parts[-1]]
    value = it.value(1, of)
    rounding = next((ROUNDINGS[part] for part in it.parts if part in ROUNDINGS), None)
    if rounding:
        value = f"{rounding}{'f' if of == 'float' else ''}({value})"
        if to not in FLOATS:
            value = f"clamped_{to}({value})"
    return it.result(f"({to}){value}", to)


def _compare(it: Instruction) -> str:
    test, left, right = it.parts[0], it.value(1), it.value(2)
    if it.real and test in ("num", "nan"):
        value = f"{'!' if test == 'num' else ''}isunordered({left}, {right})"
    elif it.real and test == "ne":
        value = f"({left} < {right} || {left} > {right})"
    elif it.real and test.endswith("u"):
        value = f"({left} {COMPARISONS[test[:-1]]} {right} || isunordered({left}, {right}))"
    else:
        value = f"({left} {COMPARISONS[test]} {right})"
    if it.parts[1] in ("and", "or", "xor"):
        value = f"({value} {BINARY[it.parts[1]]} {it.operands[3].replace('%', '')})"
    return f"{it.operands[0][1:]} = {value};"


def _multiply(it: Instruction) -> str:
    """Products, and what is added to them; of integers their lower or upper half, or all of it."""
    if it.real:
        fused = f"__builtin_fma{it.suffix}({it.value(1)}, {it.value(2)}, {{}})"
        return it.result(f"{it.value(1)} * {it.value(2)}" if it.op == "mul" else fused.format(it.value(3)))
    bits, unsigned = int(re.sub(r"\D", "", it.type)), "" if it.type.startswith("int") else "u"
    type = f"{unsigned}int{2 * bits}_t" if "wide" in it.parts else it.type
    if "hi" in it.parts:
        wide = f"({'unsigned ' if unsigned else ''}__int128)"
        value = f"({it.type})(({wide}{it.value(1)} * {wide}{it.value(2)}) >> {bits})"
    else:  # as unsigned, which wraps
        value = f"(uint64_t){it.value(1)} * (uint64_t){it.value(2)}"
    if it.op == "mad":
        value += f" + {it.value(3, type)}"
    return it.result(f"({type})({value})", type)


def _divide(it: Instruction) -> str:
    return it.result(
        f"{it.value(1)} / {it.value(2)}" if it.real else f"QUOTIENT({it.type}, {it.value(1)}, {it.value(2)})"
    )


def _call(it: Instruction) -> str:
    """Parameters are passed by their addresses, the result's first."""
    result = [it.operands[0]] if it.operands[0].startswith("(") else []
    target, *rest = it.operands[len(result) :]
    groups = result + [part for part in rest if part.startswith("(")]
    given = ", ".join(f"(char *){word}" for group in groups for word in operands(group.strip("()")))
    return f"((void (*)()){target[1:]})({given});" if target.startswith("%") else f"f_{target}({given});"


def _choose(sign: str) -> Callable[[Instruction], str]:
    return lambda it: it.result(f"({it.value(1)} {sign} {it.value(2)} ? {it.value(1)} : {it.value(2)})")


def _binary(it: Instruction) -> str:
    return it.result(f"({it.type})({it.value(1)} {BINARY[it.op]} {it.value(2)})")


def _shift(it: Instruction) -> str:
    way = {"shl": "LEFT", "shr": "RIGHT"}[it.op]
    return it.result(f"{way}({it.type}, {it.value(1)}, {it.value(2, 'uint32_t')})")


def _bit_field(it: Instruction) -> str:
    """Bits of a number of 32 bits, from a place on; the highest of them is the sign of a number that has one."""
    start, length = it.value(2, "uint32_t"), it.value(3, "uint32_t")
    left = f"((uint32_t){it.value(1)} << (32 - {start} - {length}))"
    return it.result(f"({it.type})(({it.type}){left} >> (32 - {length}))")


def _leading_zeros(it: Instruction) -> str:
    bits = int(it.kind[1:])
    return it.result(f"({it.value(1)} ? __builtin_clzll({it.value(1)}) - {64 - bits} : {bits})", "uint32_t")


def _nothing(it: Instruction) -> str:
    return ";"


def _barrier(it: Instruction) -> str:
    return 'if (here.ntid > 1) stop("a barrier between threads");'


OPERATIONS: dict[str, Callable[[Instruction], str]] = {
    **dict.fromkeys(("membar", "fence", "nanosleep"), _nothing),
    **dict.fromkeys(("bar", "barrier"), _barrier),
    "bra": lambda it: f"goto {it.operands[0].lstrip('$')};",
    "ret": lambda it: "return;",
    "exit": lambda it: 'stop("exit");',
    "call": _call,
    **dict.fromkeys(("ld", "ldu", "st"), _move),
    **dict.fromkeys(("atom", "red"), _atomic),
    "mov": _mov,
    "cvta": lambda it: it.result(it.value(1, "uint64_t"), "uint64_t"),
    "cvt": _convert,
    "setp": _compare,
    "selp": lambda it: it.result(f"({it.operands[3][1:]} ? {it.value(1)} : {it.value(2)})"),
    **dict.fromkeys(BINARY, _binary),
    "not": lambda it: it.result(f"!{it.value(1)}" if it.kind == "pred" else f"({it.type})~{it.value(1)}"),
    "neg": lambda it: it.result(f"({it.type})(-{it.value(1)})"),
    **dict.fromkeys(("mul", "mad", "fma"), _multiply),
    "div": _divide,
    "rem": lambda it: it.result(f"REST({it.type}, {it.value(1)}, {it.value(2)})"),
    "rcp": lambda it: it.result(f"1.0{it.suffix} / {it.value(1)}"),
    "rsqrt": lambda it: it.result(f"({it.type})(1.0 / sqrt({it.value(1)}))"),
    **dict.fromkeys(MATHS, lambda it: it.result(f"{MATHS[it.op]}{it.suffix}({it.value(1)})")),
    "min": lambda it: it.result(f"fmin{it.suffix}({it.value(1)}, {it.value(2)})") if it.real else _choose("<")(it),
    "max": lambda it: it.result(f"fmax{it.suffix}({it.value(1)}, {it.value(2)})") if it.real else _choose(">")(it),
    "abs": lambda it: it.result(f"fabs{it.suffix}({it.value(1)})" if it.real else f"llabs({it.value(1)})"),
    **dict.fromkeys(("shl", "shr"), _shift),
    "bfe": _bit_field,
    "popc": lambda it: it.result(f"__builtin_popcountll({it.value(1)})", "uint32_t"),
    "clz": _leading_zeros,
}
"""What makes C of each operation."""
