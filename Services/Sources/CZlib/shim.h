#include <zlib.h>

// Macros with the size of a structure, which Swift does not import. 15 is the largest window, 16 asks for gzip's frame.

static inline int freehold_deflate_begin(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}
static inline int freehold_inflate_begin(z_stream *stream) { return inflateInit2(stream, 15 + 16); }
