/* Queries over the objects of a class: strings with arguments, in the language of docs/queries.md. */
#ifndef FREEHOLD_QUERY_H
#define FREEHOLD_QUERY_H

#include "base.h"
#include "error.h"
#include "value.h"

FREEHOLD_BEGIN

/* Parses a query and resolves its names. `arguments` stand for `%@` one after the other, or for `$0`, `$1`, …;
 * `named` for `$name`. A list stands for `{…}`, a link for an object; the query's text and all values are copied. The
 * query can be evaluated any number of times, also after its snapshot was refreshed: it always reads the version that
 * its reader shows.
 *
 *     const freehold_value_t arguments[] = { freehold_int(18), freehold_string("A", 1) };
 *     freehold_query_t *query;
 *     freehold_query_prepare(reader, person, "age >= %@ AND name BEGINSWITH %@ SORT(name ASC)", FREEHOLD_TERMINATED,
 *                            2, arguments, 0, NULL, &query);
 *
 * Errors: FREEHOLD_ERROR_MALFORMED_INPUT, _UNKNOWN_PROPERTY, _UNKNOWN_CLASS, _TYPE_MISMATCH; the message names the
 * column. */
FREEHOLD_API freehold_error_code_t freehold_query_prepare(
    const freehold_reader_t *reader, freehold_class_t object_class, const char *text, size_t text_length, size_t argument_count,
    const freehold_value_t *arguments, size_t named_count, const freehold_entry_t *named, freehold_query_t **query);

/* Prepares the same query for another reader of the database; see freehold_results_another. */
FREEHOLD_API freehold_error_code_t freehold_query_another(
    const freehold_query_t *query, const freehold_reader_t *reader, freehold_query_t **another);

/* The query as canonical text, with its arguments filled in; valid until the query is closed. */
FREEHOLD_API freehold_error_code_t freehold_query_text(freehold_query_t *query, freehold_text_t *text);

/* The number of objects that the query finds; for a query with groups, the number of groups. */
FREEHOLD_API freehold_error_code_t freehold_query_count(freehold_query_t *query, uint64_t *count);

/* The first object that the query finds; FREEHOLD_ABSENT if there is none. */
FREEHOLD_API freehold_error_code_t freehold_query_first(freehold_query_t *query, freehold_key_t *key);

/* Whether an object meets the query's condition, regardless of SORT, LIMIT and so on: FREEHOLD_OK or
 * FREEHOLD_ABSENT. */
FREEHOLD_API freehold_error_code_t freehold_query_matches(freehold_query_t *query, freehold_key_t key);

/* The scores of objects. After `NEAREST` they say how near the vectors are by its metric: a higher score is nearer, NaN
 * stands for an object without a vector and for a key without an object. After `FUSE` they are the sums by which it orders,
 * NaN for an object that no ranking has. Without either they are those of the query's full-text searches, which
 * `SORT(@score DESC)` orders by: 0 for keys without an object; they compare objects of one query in one version, and have no
 * unit. FREEHOLD_ERROR_MALFORMED_INPUT for a query without `NEAREST` and `FUSE`, and without `TEXT` outside of `NOT`. */
FREEHOLD_API freehold_error_code_t freehold_query_scores(
    freehold_query_t *query, size_t count, const freehold_key_t *keys, double *scores);

/* The distances of objects, in metres along the surface of Earth: those that the last `SORT(@distance(...))` of the query
 * orders by, or without one those of the first `@distance(...)` in its condition. NaN stands for an object without a place
 * and for a key without an object. FREEHOLD_ERROR_MALFORMED_INPUT for a query without `@distance` outside of subqueries. */
FREEHOLD_API freehold_error_code_t freehold_query_distances(
    freehold_query_t *query, size_t count, const freehold_key_t *keys, double *distances);

/* Bytes of a text, from `start` to below `end`. */
typedef struct {
    size_t start;
    size_t end;
} freehold_range_t;

/* A string of an object in which a full-text search found something. */
typedef struct {
    size_t size;
    /* The property, as the query names it, and the whole string. */
    freehold_text_t path;
    freehold_text_t text;
    /* What was found in the string: ascending, disjoint. */
    const freehold_range_t *highlights;
    size_t highlight_count;
    /* The part of the string that shows best what was found, and what was found in it. */
    freehold_text_t snippet;
    const freehold_range_t *snippet_highlights;
    size_t snippet_highlight_count;
    /* Whether words of the string are before and after the snippet. */
    bool cut_before;
    bool cut_after;
} freehold_found_text_t;

/* Called for each string in which something was found; `found` and what it points to are valid until the callback
 * returns. */
typedef void (*freehold_found_text_callback_t)(void *context, const freehold_found_text_t *found);

/* The strings of an object in which the query's full-text searches found something, with snippets of at most
 * `snippet_words` words; none if the object does not match, or there is none with this key. */
FREEHOLD_API freehold_error_code_t freehold_query_found_texts(
    freehold_query_t *query, freehold_key_t key, uint32_t snippet_words, freehold_found_text_callback_t callback, void *context);

/* Runs the query and returns all its objects, in its order; see freehold/results.h. FREEHOLD_ERROR_MALFORMED_INPUT
 * for a query with groups. */
FREEHOLD_API freehold_error_code_t freehold_query_run(freehold_query_t *query, freehold_results_t **results);

/* Runs the query over the given objects of the class only. The results are in the order given, unless the query
 * sorts; keys without an object are skipped. */
FREEHOLD_API freehold_error_code_t freehold_query_run_among(
    freehold_query_t *query, size_t count, const freehold_key_t *keys, freehold_results_t **results);

/* The plan of the query, one line for each step. With `running` the query is also run, and the text says what was
 * read. Valid until the next call of this function, or until the query is closed. */
FREEHOLD_API freehold_error_code_t freehold_query_explain(freehold_query_t *query, bool running, freehold_text_t *text);

/* Runs a query that ends with GROUP(…) SELECT(…), and returns its groups, in the order of their values. Aggregates
 * over all objects are one group:
 *
 *     freehold_query_prepare(reader, person, "city = 'Oslo' GROUP() SELECT(@count, age.@avg)", ...);
 *     freehold_query_groups(query, &groups);
 *     freehold_groups_get(groups, 0, NULL, &figures);
 */
FREEHOLD_API freehold_error_code_t freehold_query_groups(freehold_query_t *query, freehold_groups_t **groups);

/* The number of groups. */
FREEHOLD_API freehold_error_code_t freehold_groups_count(const freehold_groups_t *groups, uint64_t *count);

/* The common values of a group, in the order of GROUP, and its aggregates, in the order of SELECT. Valid until the
 * groups are closed. FREEHOLD_ERROR_INVALID_ARGUMENT if there is no group of this number. */
FREEHOLD_API freehold_error_code_t freehold_groups_get(
    const freehold_groups_t *groups, uint64_t number, freehold_values_t *values, freehold_values_t *figures);

/* Ends the handle. */
FREEHOLD_API freehold_error_code_t freehold_groups_close(freehold_groups_t *groups);

/* Ends the handle; results and groups of the query stay valid. */
FREEHOLD_API freehold_error_code_t freehold_query_close(freehold_query_t *query);

FREEHOLD_END
#endif
