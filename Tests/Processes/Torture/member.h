/* What the parts of the C program of the torture share. */
#pragma once

#include <freehold.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ACCOUNTS = 16, MOST_WORDS = 512 };

/* --- the command under way, and answers */

extern freehold_database_t *database;
extern freehold_transaction_t *transaction;
extern freehold_durability_t durability;
extern freehold_snapshot_t *held;
extern uint64_t held_digest;
extern freehold_error_code_t failure;
extern char *words[MOST_WORDS];
void say(const char *text);
bool worked(freehold_error_code_t code);
void say_failure(void);
void protocol(const char *what);

/* --- names and values */

extern char *growing;
extern size_t growing_length, growing_capacity;
void add(const char *text);
size_t unhex(const char *text, uint8_t *bytes);
void *lend(size_t length);
void free_lent(void);
extern const freehold_reader_t *reader_in_use;
bool find_class(const char *name, freehold_class_t *number);
bool find_property(freehold_class_t number, const char *name, freehold_property_t *property);
freehold_error_code_t find_object(freehold_class_t number, const char *id, freehold_key_t *key);
bool find_place(freehold_class_t *number, freehold_key_t *key, freehold_property_t *property);
freehold_value_t parsed(const char *word);
void add_value(const freehold_value_t *value);

/* --- operations of a transaction */

bool add_to(freehold_transaction_t *writing, const char *name, const freehold_value_t *own, const char *property, int64_t difference);
bool count_one(freehold_transaction_t *writing, const char *name);
bool move_amount(freehold_transaction_t *writing, int64_t source, int64_t target, int64_t amount, const char *name);
bool operate(void);
void commit(void);

/* --- looking */

void get_value(void);
void list_keys(void);
void count_matching(void);
void look_at_bank(void);
void read_counter(void);
void let_go(void);
void hold(void);
void compare_held(void);
