import FreeholdEngine

/// The space that classes and properties take.
public enum SpaceReading {
    public static func json(_ snapshot: Snapshot) throws -> [UInt8] {
        let use = try snapshot.spaceUse()
        return JSONOutput.object { output in
            output.field("version", use.version)
            output.array("classes") { output in
                for one in use.classes {
                    output.elementObject { output in
                        output.field("name", one.name)
                        output.field("bytes", one.bytes)
                        output.array("properties") { output in
                            for property in one.properties { output.elementObject { write(property, to: &$0) } }
                        }
                        output.field("structure", one.structureBytes)
                        output.field("recent", one.recentBytes)
                        output.field("indexes", one.indexes.reduce(0) { $0 + $1.bytes })
                    }
                }
            }
            output.field("other", use.usedBytes - use.classes.reduce(0) { $0 + $1.bytes })
        }
    }

    private static func write(_ property: SpaceUse.PropertyUse, to output: inout JSONOutput) {
        output.field("name", property.name)
        output.field("bytes", property.bytes)
        output.field("index", property.indexBytes)
        output.field("long", property.longValueBytes + property.collectionBytes)
    }
}
