// The root of the table of handles: a slot for each of its chunks, which are allocated as needed.

#include "CShims.h"

static void *chunks[freehold_shim_handle_chunk_count];

void **freehold_shim_handle_chunks(void) { return chunks; }
