/* The least that a test program needs: checks that are counted, and tell where they failed. */
#ifndef CHECK_H
#define CHECK_H

#include "../../Kits/CKit/property.h"
#include <freehold.h>
#include <stdbool.h>
#include <stddef.h>

/* Checks that a condition holds. */
#define CHECK(condition) check_that((condition), #condition, __FILE__, __LINE__)
/* Checks that a call returns this code; when not, tells the last error. */
#define CHECK_CODE(code, call) check_code((code), (call), #call, __FILE__, __LINE__)
/* Checks that a call is done. */
#define CHECK_OK(call) CHECK_CODE(FREEHOLD_OK, (call))
/* Checks that borrowed text is this. */
#define CHECK_TEXT(expected, text) check_text((expected), (text), #text, __FILE__, __LINE__)

bool check_that(bool holds, const char *what, const char *file, int line);
bool check_code(freehold_error_code_t expected, freehold_error_code_t code, const char *what, const char *file, int line);
bool check_text(const char *expected, freehold_text_t text, const char *what, const char *file, int line);

/* The path of a file in this run's folder; overwritten by the next call but three. */
const char *path_in_folder(const char *name);
/* A new database in this run's folder; any of that name is removed. */
freehold_database_t *fresh_database(const char *name);
/* A transaction that must begin. */
freehold_transaction_t *begun(freehold_database_t *database);
/* A snapshot that must begin. */
freehold_snapshot_t *taken(freehold_database_t *database);

/* Makes Person { id int primary key, name string indexed, age int indexed, boss -> Person }, with so many people:
 * id n, name "person n", age n % 50, boss the one before. */
void make_people(freehold_database_t *database, int count);
enum { PERSON = 0, ID = 0, NAME = 1, AGE = 2, BOSS = 3 };

void test_errors(void);
void test_schema(void);
void test_synced(void);
void test_sync_settings(void);
void test_objects(void);
void test_values(void);
void test_neighbours(void);
void test_cursors(void);
void test_indexes(void);
void test_derived_indexes(void);
void test_collations(void);
void test_vectors(void);
void test_changes(void);
void test_large_values(void);
void test_inspecting(void);
void test_files(void);
void test_layout(void);
void test_queries(void);
void test_result_columns(void);
void test_collections(void);
void test_whole_batches(void);
void test_migrations(void);
void test_watches(void);
void test_places(void);
void test_pending(void);
void test_json(void);
void test_importing(void);
void test_updates(void);
void test_handing_over(void);
void test_borrowed(void);
void test_invented(void);
void test_handles(void);
void test_processes(const char *program);

/* What the program does when test_processes starts it. */
int other_process(const char *path);

#endif
