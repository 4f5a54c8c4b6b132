"""Reading and writing USD: the attribute table, the reader and the writer; degrees and stage units occur only here."""
