"""Words of a schedule on the device: parameters that follow the rows of a table while a launch runs.

An array of integers has the words of SCHEDULE_HEADER, then the first column of every island and the number of columns,
then the words of SCHEDULE_COLUMN for every column, then the first step of every world. An array of numbers has the rows
of the table, then the fraction of a step of every world, then 1/EVERY. Another schedule may follow in the same arrays.
"""

_HEADER = (
    "EVERY",  # steps per row
    "LAST_ROW",
    "INTERPOLATES",  # whether values change linearly between rows
    "TOGETHER",  # whether all worlds follow one table at one place
    "LAST_WORLD",  # lanes beyond it are copies of it
    "ROW_STRIDE", "COLUMN_STRIDE", "WORLD_STRIDE",  # in the table; 0 between worlds that share it
    "ISLAND_COLUMNS",  # where the first columns of the islands begin
    "COLUMN_WORDS",  # where the words of the columns begin
    "STARTS",  # where the first steps of the worlds begin
    "TABLE",  # where the rows begin among the numbers
    "FRACTIONS",  # where the fractions begin among the numbers
    "STEP",  # 1/EVERY there
    "NEXT",  # where the header of the next schedule begins; 0 after the last one
    "NEXT_STEPS",  # steps since the next schedule was set, less those since this one was
)  # fmt: skip

_COLUMN = (
    "PARAMETER",  # index of its row in `layout.PARAMETERS`
    "ITEM",  # degree of freedom, or axis of a maximal joint
    "ARTICULATION",  # that a change of the value wakes; -1 for all of the island
    "WAKES",  # whether a value that is set wakes even if it changes nothing
)

SCHEDULE_HEADER, SCHEDULE_COLUMN = ({word: i for i, word in enumerate(words)} for words in (_HEADER, _COLUMN))

UNSET = 2e30
"""Number in a table that leaves the parameter as it is; twice the largest value, `layout.INFINITE`."""
