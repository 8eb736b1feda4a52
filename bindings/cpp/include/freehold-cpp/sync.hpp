// Sync: a file's side of it, for programs that carry its messages to a server and back.
//
//     if (const auto batch = database.sync_push()) send(*batch);
//     send(database.sync_pull());
//     if (const auto report = database.sync_apply(received)) show(report->losses);
#ifndef FREEHOLD_CPP_SYNC_HPP
#define FREEHOLD_CPP_SYNC_HPP

#include "database.hpp"

#include <exception>
#include <functional>

namespace freehold {

// A change of this file that an answer has decided against. The property is dotted within embedded objects, and empty for
// the object as a whole; the reason is FREEHOLD_SYNC_REASON_….
struct SyncLoss {
    std::string class_name;
    // The primary key as text: digits, a string, or hexadecimal digits.
    std::string primary_key;
    std::string property;
    freehold_sync_reason_t reason = FREEHOLD_SYNC_REASON_UNKNOWN;
};

// What an answer has changed.
struct SyncReport {
    std::vector<SyncLoss> losses;
    std::uint64_t changed_objects = 0;
    // The server has sent everything anew: what it does not name is gone.
    bool reset = false;
};

namespace detail {

inline std::string copied(freehold_text_t text) { return std::string(view(text)); }

inline std::string key_text(const freehold_value_t &key)
{
    if (key.type == FREEHOLD_TYPE_INT) return std::to_string(key.as.integer);
    if (key.type == FREEHOLD_TYPE_STRING) return copied(key.as.string);
    std::string digits;
    const bool is_uuid = key.type == FREEHOLD_TYPE_UUID;
    const std::uint8_t *bytes = is_uuid ? key.as.uuid : key.as.object_id;
    for (std::size_t place = 0; place < (is_uuid ? 16u : 12u); place++) {
        if (is_uuid && (place == 4 || place == 6 || place == 8 || place == 10)) digits += '-';
        for (const int part : {bytes[place] >> 4, bytes[place] & 15}) digits += "0123456789abcdef"[part];
    }
    return digits;
}

// What the callbacks need. No exception passes through C: one of `merge` is kept, and thrown when the function has
// returned; nothing is applied then. If memory runs out while a loss is noted, the answer is applied.
struct SyncApplying {
    const SyncMerge &merge;
    SyncReport report;
    std::exception_ptr failure;

    static bool merged(void *context, const freehold_sync_conflict_t *conflict, freehold_value_t *merged) noexcept
    {
        SyncApplying &self = *static_cast<SyncApplying *>(context);
        try {
            return self.merge(*conflict, *merged);
        } catch (...) {
            self.failure = std::current_exception();
        }
        // No value has this type, so nothing is applied.
        merged->type = ~freehold_type_t{0};
        return true;
    }

    static void lost(void *context, const freehold_sync_loss_t *loss) noexcept
    {
        SyncApplying &self = *static_cast<SyncApplying *>(context);
        try {
            self.report.losses.push_back(
                {copied(loss->class_name), key_text(loss->primary_key), copied(loss->property), loss->reason});
        } catch (...) {
            self.failure = std::current_exception();
        }
    }
};

} // namespace detail

inline std::optional<std::string> Database::sync_push() const
{
    std::string message;
    if (!detail::found(freehold_sync_push(handle_.get(), detail::add_text, &message))) return std::nullopt;
    return message;
}

inline std::string Database::sync_pull() const
{
    std::string message;
    detail::check(freehold_sync_pull(handle_.get(), detail::add_text, &message));
    return message;
}

inline std::optional<SyncReport> Database::sync_apply(std::string_view message, const SyncMerge &merge) const
{
    detail::SyncApplying applying{merge, {}, nullptr};
    freehold_sync_report_t report = {};
    report.size = sizeof report;
    const freehold_error_code_t code = freehold_sync_apply(
        handle_.get(), message.data(), message.size(), merge ? detail::SyncApplying::merged : nullptr, detail::SyncApplying::lost,
        &applying, &report);
    if (applying.failure) std::rethrow_exception(applying.failure);
    if (!detail::found(code)) return std::nullopt;
    applying.report.changed_objects = report.changed_objects;
    applying.report.reset = report.reset;
    return applying.report;
}

} // namespace freehold

#endif
