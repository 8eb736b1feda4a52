// What the tests of C++ share: checks that count, a database of their own, and one list of them.
#ifndef FREEHOLD_CPP_TESTS_CHECK_HPP
#define FREEHOLD_CPP_TESTS_CHECK_HPP

#include <freehold.hpp>

#include <cstdio>
#include <string>

inline int passed, failed;

inline void check_that(bool holds, const char *what, const char *file, int line)
{
    if (holds) {
        passed++;
    } else {
        failed++;
        std::fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
    }
}

#define CHECK(...) check_that((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

// Checks that something throws an error of this code.
template <typename Body>
bool throws(std::int32_t code, Body &&body)
{
    try {
        body();
    } catch (const freehold::Error &error) {
        if (error.code() == code && *error.what() && *error.name()) return true;
        std::fprintf(stderr, "    threw %s: %s\n", error.name(), error.what());
    }
    return false;
}

// A new database with the class Person (id, name, age) and people 1 to `count`, each as old as its id.
inline freehold::Database with_people(const std::string &path, int count)
{
    freehold::Database database(path);
    database.write([&](freehold::Transaction &transaction) {
        transaction.create_class("Person", {{"id", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_PRIMARY_KEY}, {"name", FREEHOLD_TYPE_STRING},
                                            {"age", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_INDEXED}});
        for (int id = 1; id <= count; id++)
            transaction.create("Person", {{"id", id}, {"name", "person " + std::to_string(id)}, {"age", id}});
    });
    return database;
}

// Each in the file of its name; `folder` is empty at first.
void test_columns(const std::string &folder);
void test_derived_indexes(const std::string &folder);
void test_embedding(const std::string &folder);
void test_synced(const std::string &folder);
void test_synced(const std::string &folder);
void test_handing_over(const std::string &folder);
void test_indexes(const std::string &folder);
void test_importing(const std::string &folder);
void test_inspecting(const std::string &folder);
void test_json(const std::string &folder);
void test_large_values(const std::string &folder);
void test_migrations(const std::string &folder);
void test_pending(const std::string &folder);
void test_places(const std::string &folder);
void test_texts(const std::string &folder);
void test_watches(const std::string &folder);

#endif
