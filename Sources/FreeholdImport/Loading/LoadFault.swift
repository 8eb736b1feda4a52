import FreeholdEngine

/// Why a record did not become an object.
enum LoadFault: Error {
    /// The record is invalid.
    case record(String)
    /// The database failed, regardless of the record.
    case other(FreeholdError)

    /// Classifies an error: an error of the record if a value was refused.
    init(_ error: any Error) {
        switch error {
        case let fault as LoadFault: self = fault
        case let error as FreeholdError where error.code.band == .argument || error.code == .valueTooLarge:
            self = .record(error.message)
        case let error as FreeholdError: self = .other(error)
        default: self = .record("\(error)")
        }
    }
}
