/* The handles that there are, a few of each kind, and those that have ended. */
#include "fuzz.h"

void *kept[HANDLE_KINDS][KEPT];

enum { ENDED = 64 };
static void *ended[ENDED];
static unsigned ended_count;

static bool is_kept(int kind, void *handle)
{
    for (int place = 0; place < KEPT; place++)
        if (kept[kind][place] == handle) return true;
    return false;
}

void note_ended(void *handle)
{
    /* A reader ends with what it belongs to, whenever that is. */
    if (!is_kept(HANDLE_READER, handle)) ended[ended_count++ % ENDED] = handle;
    for (int kind = 0; kind < HANDLE_KINDS; kind++)
        for (int place = 0; place < KEPT; place++)
            if (kept[kind][place] == handle) kept[kind][place] = NULL;
}

static freehold_error_code_t end(int kind, void *handle)
{
    switch (kind) {
    case HANDLE_DATABASE: return freehold_database_close(handle);
    case HANDLE_SNAPSHOT: return freehold_snapshot_end(handle);
    case HANDLE_TRANSACTION: return freehold_transaction_rollback(handle);
    case HANDLE_CURSOR: return freehold_cursor_close(handle);
    case HANDLE_INDEX_CURSOR: return freehold_index_cursor_close(handle);
    case HANDLE_LISTENER: return freehold_listener_close(handle);
    case HANDLE_LARGE_VALUE: return freehold_large_value_close(handle);
    case HANDLE_QUERY: return freehold_query_close(handle);
    case HANDLE_RESULTS: return freehold_results_close(handle);
    case HANDLE_GROUPS: return freehold_groups_close(handle);
    case HANDLE_COLLECTION: return freehold_collection_close(handle);
    case HANDLE_CHANGES: return freehold_changes_close(handle);
    case HANDLE_WATCH: return freehold_watch_close(handle);
    case HANDLE_PENDING: return freehold_pending_close(handle);
    /* Readers end with what they belong to. */
    default: return FREEHOLD_OK;
    }
}

void keep(int kind, void *handle)
{
    int place = (int)pick(KEPT);
    void *before = kept[kind][place];
    for (int other = 0; other < KEPT; other++)
        if (kept[kind][other] == handle) return;
    if (before != NULL) {
        end(kind, before);
        note_ended(before);
    }
    kept[kind][place] = handle;
}

bool is_hopeless(int kind, void *handle)
{
    if (handle == NULL) return true;
    if (is_kept(kind, handle)) return false;
    for (int other = 0; other < HANDLE_KINDS; other++)
        if (is_kept(other, handle)) return true;
    for (unsigned place = 0; place < ENDED; place++)
        if (ended[place] == handle) return true;
    return false;
}

void *pick_handle(int kind)
{
    uint32_t way = pick(40);
    if (way > 3) {
        uint32_t first = pick(KEPT), count;
        for (int place = 0; kind == HANDLE_READER && place < KEPT; place++)
            if (kept[kind][place] != NULL && freehold_class_count(kept[kind][place], &count) != FREEHOLD_OK) kept[kind][place] = NULL;
        for (uint32_t i = 0; i < KEPT; i++)
            if (kept[kind][(first + i) % KEPT] != NULL) return kept[kind][(first + i) % KEPT];
        return NULL;
    }
    if (way == 0) return NULL;
    if (way == 1) return ended_count ? ended[pick(ended_count < ENDED ? ended_count : ENDED)] : NULL;
    if (way == 2) return kept[pick(HANDLE_KINDS)][pick(KEPT)];
    /* Numbers of every size, and near those that are there. */
    if (pick(2)) return (void *)(uintptr_t)((uint64_t)(uintptr_t)kept[kind][pick(KEPT)] ^ (uint64_t)1 << pick(64));
    return (void *)(uintptr_t)(draw() >> pick(64));
}

void end_all(void)
{
    for (int kind = HANDLE_KINDS - 1; kind >= 0; kind--)
        for (int place = 0; place < KEPT; place++)
            if (kept[kind][place] != NULL) {
                void *handle = kept[kind][place];
                end(kind, handle);
                note_ended(handle);
            }
}
