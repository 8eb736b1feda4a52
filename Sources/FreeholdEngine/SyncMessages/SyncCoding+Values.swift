/// Keys, values, paths and entries as bytes. A value begins with its kind; kinds are never used for another thing.
extension SyncEncoder {
    package func write(_ key: SyncKey) {
        switch key {
        case .int(let number):
            buffer.append(0)
            write(signed: number)
        case .string(let text):
            buffer.append(1)
            write(text)
        case .uuid(let high, let low):
            buffer.append(2)
            buffer.append(big: high)
            buffer.append(big: low)
        case .objectID(let high, let low):
            buffer.append(3)
            buffer.append(big: high)
            write(low)
        }
    }

    package func write(_ object: SyncObject) {
        write(object.type)
        write(object.key)
    }

    package func write(_ value: SyncValue) {
        buffer.append(value.kind)
        switch value {
        case .null, .absent: break
        case .bool(let truth): write(truth)
        case .int(let number): write(signed: number)
        case .float(let bits): write(bits)
        case .double(let bits): buffer.append(big: bits)
        case .decimal(let high, let low), .uuid(let high, let low):
            buffer.append(big: high)
            buffer.append(big: low)
        case .timestamp(let seconds, let nanoseconds):
            write(signed: seconds)
            write(nanoseconds)
        case .objectID(let high, let low):
            buffer.append(big: high)
            write(low)
        case .string(let text): write(text)
        case .data(let bytes): write(data: bytes)
        case .link(let target): write(target)
        case .embedded(let identity): write(identity)
        case .list(let values), .set(let values): write(values) { write($0) }
        case .map(let entries):
            write(entries) { entry in
                write(entry.key)
                write(entry.value)
            }
        }
    }

    package func write(_ path: SyncPath) {
        write(path.property)
        write(path.instance)
        write(path.key)
    }

    package func write(_ entry: SyncEntry) {
        write(entry.stamp)
        write(entry.epoch)
        write(entry.replica)
    }
}

extension SyncValue {
    fileprivate var kind: UInt8 {
        switch self {
        case .null: 0
        case .bool: 1
        case .int: 2
        case .float: 3
        case .double: 4
        case .decimal: 5
        case .timestamp: 6
        case .uuid: 7
        case .objectID: 8
        case .string: 9
        case .data: 10
        case .link: 11
        case .embedded: 12
        case .list: 13
        case .set: 14
        case .map: 15
        case .absent: 16
        }
    }
}

extension SyncDecoder {
    package mutating func key() throws(FreeholdError) -> SyncKey {
        let place = offset
        switch try byte("the kind of a key") {
        case 0: return .int(try signed("a key"))
        case 1: return .string(try text("a key"))
        case 2:
            let high = try big("a key")
            return .uuid(high, try big("a key"))
        case 3:
            let high = try big("a key")
            return .objectID(high, UInt32(try number(below: 1 << 32, "a key")))
        default: throw damaged("the kind of a key", at: place)
        }
    }

    package mutating func object() throws(FreeholdError) -> SyncObject {
        let type = try number(below: UInt64(names.classes.count), "a class's number")
        return SyncObject(type: Int32(type), key: try key())
    }

    package mutating func property(of object: SyncObject) throws(FreeholdError) -> Int32 {
        Int32(try number(below: UInt64(names.propertyCount(of: object.type) ?? 0), "a property's number"))
    }

    /// - Parameter depth: how many levels of collections it may have.
    package mutating func value(depth: Int = SyncValue.maximumDepth) throws(FreeholdError) -> SyncValue {
        let place = offset
        switch try byte("the kind of a value") {
        case 0: return .null
        case 1: return .bool(try truth("a Boolean"))
        case 2: return .int(try signed("an integer"))
        case 3: return .float(UInt32(try number(below: 1 << 32, "a float")))
        case 4: return .double(try big("a double"))
        case 5:
            let high = try big("a decimal")
            return .decimal(high, try big("a decimal"))
        case 6:
            let seconds = try signed("a timestamp's seconds")
            return .timestamp(seconds, Int32(try number(below: 1_000_000_000, "a timestamp's nanoseconds")))
        case 7:
            let high = try big("a UUID")
            return .uuid(high, try big("a UUID"))
        case 8:
            let high = try big("an object id")
            return .objectID(high, UInt32(try number(below: 1 << 32, "an object id")))
        case 9: return .string(try text("a string"))
        case 10: return .data(try data("data"))
        case 11: return .link(try object())
        case 12: return .embedded(try identity())
        case 13...15 where depth == 0: throw damaged("at most \(SyncValue.maximumDepth) levels of collections", at: place)
        case 13: return .list(try list("a list") { inner throws(FreeholdError) in try inner.value(depth: depth - 1) })
        case 14: return .set(try list("a set") { inner throws(FreeholdError) in try inner.value(depth: depth - 1) })
        case 15:
            var last: String?
            return .map(try list("a map") { inner throws(FreeholdError) in
                let start = inner.offset, key = try inner.text("a key of a map")
                if let last, !last.precedes(key) { throw inner.damaged("a key of a map behind the one before it", at: start) }
                last = key
                return SyncValue.Entry(key: key, value: try inner.value(depth: depth - 1))
            })
        case 16: return .absent
        default: throw damaged("the kind of a value", at: place)
        }
    }

    package mutating func path(of object: SyncObject) throws(FreeholdError) -> SyncPath {
        let property = try property(of: object), instance = try identity()
        return SyncPath(property: property, instance: instance, key: try value())
    }

    package mutating func entry() throws(FreeholdError) -> SyncEntry {
        let stamp = try stamp(), epoch = try number("an epoch")
        return SyncEntry(stamp: stamp, epoch: epoch, replica: try replicaNumber())
    }

    /// Reads the names and keeps them, to check the numbers that follow.
    mutating func takeNames() throws(FreeholdError) -> SyncNames {
        names.classes = try list("classes") { decoder throws(FreeholdError) in
            let name = try decoder.text("a class's name")
            return SyncNames.Entry(name: name, properties: try decoder.list("properties") { inner throws(FreeholdError) in
                try inner.text("a property's name")
            })
        }
        guard names.classes.count <= Int(Int32.max) else { throw damaged("fewer classes") }
        return names
    }

    /// Reads the table of replicas and keeps its length.
    mutating func takeReplicas() throws(FreeholdError) -> [ReplicaIdentity] {
        let place = offset
        let replicas = try list("replicas") { decoder throws(FreeholdError) in try decoder.replica() }
        guard replicas.count <= SyncIdentity.maximumReplicas else {
            throw damaged("at most \(SyncIdentity.maximumReplicas) replicas", at: place)
        }
        replicaCount = replicas.count
        return replicas
    }
}

extension SyncEncoder {
    package func write(_ names: SyncNames) {
        write(names.classes) { type in
            write(type.name)
            write(type.properties) { write($0) }
        }
    }
}
