#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo take any type behind three dots, which Swift cannot call.

typedef size_t (*freehold_curl_write)(char *bytes, size_t one, size_t count, void *context);
typedef int (*freehold_curl_progress)(void *context, curl_off_t toGet, curl_off_t got, curl_off_t toSend, curl_off_t sent);

static inline CURLcode freehold_curl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode freehold_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode freehold_curl_set_headers(CURL *handle, struct curl_slist *headers) {
    return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}
static inline CURLcode freehold_curl_set_body(CURL *handle, const void *bytes, size_t count) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_POSTFIELDS, (const char *)bytes);
}
static inline CURLcode freehold_curl_set_write(CURL *handle, freehold_curl_write write, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, write);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}
static inline CURLcode freehold_curl_set_progress(CURL *handle, freehold_curl_progress progress, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, progress);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
}
static inline long freehold_curl_status(CURL *handle) {
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    return status;
}
static inline double freehold_curl_retry_after(CURL *handle) {
    curl_off_t seconds = 0;
    curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &seconds);
    return (double)seconds;
}
