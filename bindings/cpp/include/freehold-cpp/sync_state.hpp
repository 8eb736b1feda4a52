// Sync by an agent: what it shall do for a file, and how it goes.
//
//     database.sync().configure({"https://sync.example.org", std::nullopt, "/etc/app/token"});
//     database.sync().download(std::chrono::seconds(30));
//     if (database.sync().state().pending) show(database.sync().issues());
#ifndef FREEHOLD_CPP_SYNC_STATE_HPP
#define FREEHOLD_CPP_SYNC_STATE_HPP

#include "database.hpp"
#include "value.hpp"

#include <exception>

namespace freehold {

// What a file says about its sync: the server's address, `https://host:port`; the token that it asks for, which everybody
// who can read the file can read, or a file with it, by its whole path; and whether agents shall pause.
struct SyncSettings {
    std::string address;
    std::optional<std::string> token;
    std::optional<std::string> token_file;
    bool suspended = false;
};

// How the sync of a file is going; the connection is FREEHOLD_SYNC_STOPPED without an agent.
struct SyncState {
    freehold_sync_connection_t connection = FREEHOLD_SYNC_STOPPED;
    bool has_agent = false;
    // Whether the file has changes that are not known to be at the server.
    bool pending = false;
    // When the file last sent or received a change.
    std::optional<Time> last_exchange;
};

// A change that was lost, or an error: a reason or an error's code, what happened, the place, and what to do. The last
// three are empty for errors, and the property for a whole object.
struct SyncIssue {
    Time date;
    std::string code;
    std::string what;
    std::string place;
    std::string advice;
    std::string class_name;
    std::string primary_key;
    std::string property;
};

namespace detail {

inline std::string told(freehold_text_t text) { return std::string(view(text)); }

inline freehold_text_t given(const std::optional<std::string> &text)
{
    return text ? freehold_text_t{text->data(), text->size()} : freehold_text_t{nullptr, 0};
}

inline Time moment(freehold_date_t date) { return time(freehold_date(date.seconds, date.nanoseconds)); }

// What callbacks fill. No exception passes through C: it is kept, and thrown when the function has returned.
template <typename Thing>
struct Telling {
    Thing told;
    std::exception_ptr failure;

    template <typename Body>
    void note(Body &&body) noexcept
    {
        try {
            body(told);
        } catch (...) {
            failure = std::current_exception();
        }
    }

    Thing &&take()
    {
        if (failure) std::rethrow_exception(failure);
        return std::move(told);
    }
};

} // namespace detail

// The sync of a file. It lives no longer than its database.
class Sync {
public:
    explicit Sync(const freehold_database_t *database) : database_(database) {}

    // Agents notice at once. Settings that the file has already are no commit.
    void configure(const SyncSettings &settings) const
    {
        freehold_sync_settings_t given = {};
        given.size = sizeof given;
        given.address = {settings.address.data(), settings.address.size()};
        given.token = detail::given(settings.token);
        given.token_file = detail::given(settings.token_file);
        given.suspended = settings.suspended;
        detail::check(freehold_sync_set_settings(database_, &given));
    }

    // Empty if the file says nothing.
    std::optional<SyncSettings> settings() const
    {
        detail::Telling<std::optional<SyncSettings>> telling{};
        detail::found(freehold_sync_settings(database_, hear_settings, &telling));
        return telling.take();
    }

    // Lets agents pause, until `resume`; the rest of the settings stays.
    void suspend() const { detail::check(freehold_sync_suspend(database_, true)); }
    void resume() const { detail::check(freehold_sync_suspend(database_, false)); }

    SyncState state() const
    {
        freehold_sync_state_t told = {};
        told.size = sizeof told;
        detail::check(freehold_sync_state(database_, &told));
        SyncState state{told.connection, told.has_agent, told.pending, std::nullopt};
        if (told.exchanged) state.last_exchange = detail::moment(told.last_exchange);
        return state;
    }

    // Oldest first: objects of the class `FreeholdSyncIssue`, at most 1,000.
    std::vector<SyncIssue> issues() const
    {
        detail::Telling<std::vector<SyncIssue>> telling{};
        detail::check(freehold_sync_issues(database_, hear_issue, &telling, nullptr));
        return telling.take();
    }

    // Waits until the file has all that the server had when this was called; an agent has to work at it. When the time is
    // over, an error FREEHOLD_BUSY says what was missing.
    void download(std::chrono::milliseconds timeout) const { detail::check(freehold_sync_download(database_, timeout.count())); }

private:
    static void hear_settings(void *context, const freehold_sync_settings_t *given) noexcept
    {
        static_cast<detail::Telling<std::optional<SyncSettings>> *>(context)->note([&](std::optional<SyncSettings> &settings) {
            settings = SyncSettings{detail::told(given->address), std::nullopt, std::nullopt, given->suspended};
            if (given->token.bytes != nullptr) settings->token = detail::told(given->token);
            if (given->token_file.bytes != nullptr) settings->token_file = detail::told(given->token_file);
        });
    }

    static void hear_issue(void *context, const freehold_sync_issue_t *given) noexcept
    {
        static_cast<detail::Telling<std::vector<SyncIssue>> *>(context)->note([&](std::vector<SyncIssue> &issues) {
            issues.push_back({detail::moment(given->date), detail::told(given->code), detail::told(given->what),
                              detail::told(given->place), detail::told(given->advice), detail::told(given->class_name),
                              detail::told(given->primary_key), detail::told(given->property)});
        });
    }

    const freehold_database_t *database_;
};

inline Sync Database::sync() const { return Sync(handle_.get()); }

} // namespace freehold

#endif
