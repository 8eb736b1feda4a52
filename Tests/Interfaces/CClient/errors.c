/* Results and the last error. */
#include "check.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *last_error_elsewhere(void *context)
{
    freehold_error_t error = { .size = sizeof error };
    CHECK(freehold_last_error(&error) == 0);
    CHECK(strcmp(error.message, "") == 0);
    return context;
}

static void test_detail(void)
{
    freehold_database_t *database = (freehold_database_t *)&database;
    freehold_open_options_t options = { .size = sizeof options, .must_exist = true };
    CHECK_CODE(FREEHOLD_ERROR_NOT_FOUND,
        freehold_database_open(path_in_folder("nothing"), FREEHOLD_TERMINATED, &options, &database));
    CHECK(database == NULL);
    freehold_error_t error = { .size = sizeof error };
    CHECK(freehold_last_error(&error) == FREEHOLD_ERROR_NOT_FOUND);
    CHECK(error.code == FREEHOLD_ERROR_NOT_FOUND);
    CHECK(strlen(error.message) > 10);
    CHECK(strstr(error.path, "nothing") != NULL);

    /* Success leaves it; a shorter structure gets what it has room for; another thread has its own. */
    CHECK_OK(freehold_database_close(NULL));
    freehold_error_t shorter;
    memset(&shorter, 1, sizeof shorter);
    shorter.size = offsetof(freehold_error_t, message);
    CHECK(freehold_last_error(&shorter) == FREEHOLD_ERROR_NOT_FOUND);
    CHECK(shorter.code == FREEHOLD_ERROR_NOT_FOUND && shorter.size == offsetof(freehold_error_t, message));
    CHECK(((const unsigned char *)&shorter)[offsetof(freehold_error_t, message)] == 1);
    CHECK(freehold_last_error(NULL) == FREEHOLD_ERROR_NOT_FOUND);
    pthread_t thread;
    pthread_create(&thread, NULL, last_error_elsewhere, NULL);
    pthread_join(thread, NULL);
}

static void test_arguments(void)
{
    freehold_database_t *database;
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_database_open(NULL, 0, NULL, &database));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_database_open("x", 1, NULL, NULL));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_database_open("\xff\xfe", 2, NULL, &database));
    freehold_open_options_t options = { .size = 0 };
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_database_open("x", 1, &options, &database));
    options.size = sizeof options;
    options.lock_timeout_milliseconds = -5;
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_database_open("x", 1, &options, &database));

    /* A structure of a newer header: fine as long as what is new in it is not used. */
    struct {
        freehold_open_options_t options;
        uint64_t newer;
    } longer = { { .size = sizeof longer, .must_exist = true }, 0 };
    const char *path = path_in_folder("nothing");
    CHECK_CODE(FREEHOLD_ERROR_NOT_FOUND, freehold_database_open(path, strlen(path), &longer.options, &database));
    longer.newer = 1;
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_database_open(path, strlen(path), &longer.options, &database));
}

void test_errors(void)
{
    test_detail();
    test_arguments();
    CHECK(strcmp(freehold_error_name(FREEHOLD_ERROR_NOT_A_DATABASE), "NOT_A_DATABASE") == 0);
    CHECK(strcmp(freehold_error_name(FREEHOLD_ERROR_IO), "IO") == 0);
    CHECK(strcmp(freehold_error_name(12345), "UNKNOWN") == 0);
    int32_t major = -1, minor = -1, patch = -1;
    freehold_version_numbers(&major, &minor, &patch);
    freehold_version_numbers(NULL, NULL, NULL);
    char text[64];
    snprintf(text, sizeof text, "%d.%d.%d", major, minor, patch);
    CHECK(strcmp(text, freehold_version()) == 0);
    CHECK(freehold_abi_version() == FREEHOLD_ABI_VERSION);
#ifdef FREEHOLD_BUILT_VERSION
    CHECK(strcmp(text, FREEHOLD_BUILT_VERSION) == 0);
#endif
}
