// Where the table of handles begins: a place for each of its chunks, filled as they are needed.

#include "CShims.h"

static void *chunks[freehold_shim_handle_chunk_count];

void **freehold_shim_handle_chunks(void) { return chunks; }
