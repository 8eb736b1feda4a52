/* Queries: texts with arguments, as docs/queries.md describes them, asked of the objects of a class. */
#ifndef FREEHOLD_QUERY_H
#define FREEHOLD_QUERY_H

#include "base.h"
#include "error.h"
#include "value.h"

FREEHOLD_BEGIN

/* Reads a query and looks its names up. `arguments` stand for `%@` one after the other, or for `$0`, `$1`, …; `named` for `$name`. A
 * list stands for `{…}`, a link for an object; text and values are copied. The query can be asked as often as wanted, also after its
 * snapshot was refreshed: it is always about the version that its reader shows.
 *
 *     const freehold_value_t arguments[] = { freehold_int(18), freehold_string("A", 1) };
 *     freehold_query_t *query;
 *     freehold_query_prepare(reader, person, "age >= %@ AND name BEGINSWITH %@ SORT(name ASC)", FREEHOLD_TERMINATED,
 *                            2, arguments, 0, NULL, &query);
 *
 * Errors: FREEHOLD_ERROR_MALFORMED_INPUT, _UNKNOWN_PROPERTY, _UNKNOWN_CLASS, _TYPE_MISMATCH; the message names the column. */
FREEHOLD_API freehold_error_code_t freehold_query_prepare(
    const freehold_reader_t *reader, freehold_class_t object_class, const char *text, size_t text_length, size_t argument_count,
    const freehold_value_t *arguments, size_t named_count, const freehold_entry_t *named, freehold_query_t **query);

/* The same query through another reader of the database; see freehold_results_another. */
FREEHOLD_API freehold_error_code_t freehold_query_another(
    const freehold_query_t *query, const freehold_reader_t *reader, freehold_query_t **another);

/* The query in canonical text, its arguments filled in; valid until the query is closed. */
FREEHOLD_API freehold_error_code_t freehold_query_text(freehold_query_t *query, freehold_text_t *text);

/* How many objects there are; of a query with groups, how many groups. */
FREEHOLD_API freehold_error_code_t freehold_query_count(freehold_query_t *query, uint64_t *count);

/* The first object, or FREEHOLD_ABSENT. */
FREEHOLD_API freehold_error_code_t freehold_query_first(freehold_query_t *query, freehold_key_t *key);

/* FREEHOLD_OK if the object meets the condition, whatever SORT, LIMIT and so on say, else FREEHOLD_ABSENT. */
FREEHOLD_API freehold_error_code_t freehold_query_matches(freehold_query_t *query, freehold_key_t key);

/* All objects, in the query's order; see freehold/results.h. FREEHOLD_ERROR_MALFORMED_INPUT of a query with groups. */
FREEHOLD_API freehold_error_code_t freehold_query_run(freehold_query_t *query, freehold_results_t **results);

/* Of some objects of the class those that the query finds: in the order given, unless it sorts. Keys without an object are left out. */
FREEHOLD_API freehold_error_code_t freehold_query_run_among(
    freehold_query_t *query, size_t count, const freehold_key_t *keys, freehold_results_t **results);

/* How the query is answered, a line for each step; with `running` it is answered as well, and tells what was read for that. Valid until
 * the next call of this function, or until the query is closed. */
FREEHOLD_API freehold_error_code_t freehold_query_explain(freehold_query_t *query, bool running, freehold_text_t *text);

/* The groups of a query that ends with GROUP(…) SELECT(…), in the order of their values. Figures of all objects are one group:
 *
 *     freehold_query_prepare(reader, person, "city = 'Oslo' GROUP() SELECT(@count, age.@avg)", ...);
 *     freehold_query_groups(query, &groups);
 *     freehold_groups_get(groups, 0, NULL, &figures);
 */
FREEHOLD_API freehold_error_code_t freehold_query_groups(freehold_query_t *query, freehold_groups_t **groups);

/* How many groups there are. */
FREEHOLD_API freehold_error_code_t freehold_groups_count(const freehold_groups_t *groups, uint64_t *count);

/* What the objects of a group have in common, in the order of GROUP, and its figures, in the order of SELECT. Valid until the groups are
 * closed. FREEHOLD_ERROR_INVALID_ARGUMENT if there is no group of this number. */
FREEHOLD_API freehold_error_code_t freehold_groups_get(
    const freehold_groups_t *groups, uint64_t number, freehold_values_t *values, freehold_values_t *figures);

/* Ends the handle. */
FREEHOLD_API freehold_error_code_t freehold_groups_close(freehold_groups_t *groups);

/* Ends the handle; what it found stays. */
FREEHOLD_API freehold_error_code_t freehold_query_close(freehold_query_t *query);

FREEHOLD_END
#endif
