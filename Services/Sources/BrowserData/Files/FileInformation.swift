import FreeholdEngine
import FreeholdImport
import Glibc

/// The file's sizes, its versions, and who holds them.
public enum FileInformation {
    public static func json(_ file: OpenFile) throws -> [UInt8] {
        let information = try file.database.information()
        return JSONOutput.object { output in
            output.field("version", information.version)
            output.field("durableVersion", information.durableVersion)
            output.field("lostVersion", information.lostVersion.map { "\($0)" })
            output.field("size", information.fileLength)
            output.field("used", information.usedBytes)
            output.field("free", information.freeBytes)
            output.field("held", information.heldBytes)
            output.field("reserved", information.reservedBytes)
            output.array("holders") { output in
                for holder in information.holders {
                    output.elementObject { output in
                        output.field("version", holder.version)
                        output.field("process", Int(holder.processIdentifier))
                        output.field("program", holder.processName)
                        output.field("milliseconds", holder.heldMilliseconds)
                        output.field("readers", holder.readers)
                        output.field("parked", holder.isParked)
                        output.field("kept", holder.keptBytes)
                        output.field("isBrowser", holder.processIdentifier == getpid())
                    }
                }
            }
        }
    }
}
