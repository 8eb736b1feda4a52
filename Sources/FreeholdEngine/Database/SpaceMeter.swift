/// Measures what the blocks of one version belong to.
///
/// Each block has a label, which it gets from the block that refers to it. Only blocks that may refer to others are read.
final class SpaceMeter {
    /// What a block belongs to.
    private enum Label {
        case top
        case tableRoot(table: Int)
        /// An inner node of a tree of clusters, or a cluster.
        case clusters(table: Int)
        /// A leaf in a cluster, with its place in `properties`.
        case leaf(Int)
        /// A block that a leaf refers to, or one below it.
        case belowLeaf(Int)
        /// A block without references.
        case last(Part)
        /// A block whose whole tree is of one part.
        case tree(Part)
    }

    private enum Part {
        case schema, spaceMap, other
        case structure(table: Int), recent(table: Int)
        case values(Int), longValues(Int), collections(Int), index(Int)
        case compoundIndex(table: Int, place: Int)
        case derivedIndex(table: Int, place: Int)
    }

    /// A class with its subclasses, whose objects are in one table.
    private struct MeteredTable {
        let stored: StoredClass
        let root: TableRoot
        /// The place of the first property in `properties`.
        let firstProperty: Int
        var structureBytes: UInt64 = 0
        var recentBytes: UInt64 = 0
        var indexBytes: [UInt64]
        var derivedBytes: [UInt64]
    }

    private let root: Root
    private let schema: StoredSchema
    private let access: BlockAccess
    private let path: String
    private var tables: [MeteredTable] = []
    /// By the number of the table's class.
    private var places: [Int: Int] = [:]
    private var properties: [SpaceUse.PropertyUse] = []
    private var use: SpaceUse

    init(_ root: Root, _ schema: StoredSchema, _ access: BlockAccess, _ path: String) throws(FreeholdError) {
        self.root = root
        self.schema = schema
        self.access = access
        self.path = path
        use = SpaceUse(version: Version(root.version), classes: [])
        let top = try TopBlock(root.top, in: access)
        for stored in schema.presentTables {
            places[Int(stored.number)] = tables.count
            let root = try TableRoot(top.table(Int(stored.number)), in: access)
            tables.append(MeteredTable(stored: stored, root: root, firstProperty: properties.count,
                                       indexBytes: Array(repeating: 0, count: stored.indexes.count),
                                       derivedBytes: Array(repeating: 0, count: stored.derived.count)))
            properties += stored.properties.map { SpaceUse.PropertyUse(name: $0.name) }
        }
    }

    /// Walks over all blocks and adds them up.
    func measure(_ progress: (UInt64, UInt64) throws -> Void) throws -> SpaceUse {
        let (live, total) = try pages()
        var measured: UInt64 = 0, blocks = 0
        try SpaceWalk.visit(root.top, Label.top, opening: { reference, label throws -> BlockView? in
            let bytes = UInt64(reference.granuleCount * BlockLayout.granule)
            measured += bytes
            // Blocks have one parent each, so that there are no more bytes than the space map counts.
            guard measured <= live, !reference.isPending else {
                throw FreeholdError(
                    .corrupt, "blocks use more than the \(live) bytes that the space map counts; run `freehold check`", path: path)
            }
            blocks += 1
            if blocks % 1024 == 0 { try progress(measured, live) }
            return try open(reference, label, bytes)
        }, labelling: label)
        try access.requireIntactMapping()
        try progress(measured, live)
        use.unusedBytes = total - measured
        assemble()
        return use
    }

    /// The bytes of live blocks, and of the pages they are in; notes those of the header.
    private func pages() throws(FreeholdError) -> (live: UInt64, total: UInt64) {
        let space = try TopBlock(root.top, in: access).space
        let map = try SpaceMap.load(version: root.version, root: space, length: root.length, access: access, path: path)
        var granules = 0, pages = 0, headers = 0
        for page in 0..<map.table.count {
            let mark = map.table.mark(page)
            if PageMark.isLive(mark) {
                granules += Int(mark)
                pages += 1
            } else if mark == PageMark.header {
                headers += 1
            }
        }
        use.headerBytes = UInt64(headers * BlockLayout.page)
        return (UInt64(granules * BlockLayout.granule), UInt64(pages * BlockLayout.page))
    }

    /// Counts a block, and reads it if it may have references.
    private func open(_ reference: BlockReference, _ label: Label, _ bytes: UInt64) throws(FreeholdError) -> BlockView? {
        if case .last(let part) = label {
            add(bytes, to: part)
            return nil
        }
        _ = access.shadow?.rest()
        let view = try access.view(reference)
        switch label {
        case .top: add(bytes, to: .other)
        case .tableRoot(let table), .clusters(let table): add(bytes, to: .structure(table: table))
        case .leaf(let property): add(bytes, to: .values(property))
        case .belowLeaf(let property):
            let isLong = view.kind == .largeValue || view.kind == .largeValueIndex
            add(bytes, to: isLong ? .longValues(property) : .collections(property))
        case .tree(let part), .last(let part): add(bytes, to: part)
        }
        return view
    }

    /// What the block at a reference belongs to.
    private func label(_ view: BlockView, _ label: Label, _ slot: Int) -> Label {
        switch label {
        case .top:
            if slot == TopBlock.schema { return .tree(.schema) }
            if slot == TopBlock.space { return .tree(.spaceMap) }
            return places[slot - TopBlock.firstTable].map { .tableRoot(table: $0) } ?? .tree(.other)
        case .tableRoot(let table): return rootLabel(table, slot)
        case .clusters(let table): return view.kind == .cluster ? leafLabel(table, slot) : .clusters(table: table)
        case .leaf(let property): return .belowLeaf(property)
        case .belowLeaf(let property):
            return LargeValue.hasChunks(view) ? .last(.longValues(property)) : label
        case .tree, .last: return label
        }
    }

    private func rootLabel(_ table: Int, _ slot: Int) -> Label {
        if slot == 0 { return .clusters(table: table) }
        if slot < TableRoot.firstAuxiliary { return .tree(.recent(table: table)) }
        let auxiliary = tables[table].root.auxiliaries[slot - TableRoot.firstAuxiliary], stored = tables[table].stored
        if let place = stored.indexes.firstIndex(where: { $0.column == auxiliary.column }) {
            return .tree(.compoundIndex(table: table, place: place))
        }
        if auxiliary.kind == .derived, let place = stored.derived.firstIndex(where: { $0.column == auxiliary.column }) {
            return .tree(.derivedIndex(table: table, place: place))
        }
        guard stored.properties.indices.contains(auxiliary.column) else { return .tree(.structure(table: table)) }
        let property = tables[table].firstProperty + auxiliary.column
        return .tree(auxiliary.kind == .index ? .index(property) : .values(property))
    }

    private func leafLabel(_ table: Int, _ column: Int) -> Label {
        guard tables[table].stored.properties.indices.contains(column) else { return .tree(.structure(table: table)) }
        let stored = tables[table].stored.properties[column], property = tables[table].firstProperty + column
        switch stored.storageType {
        case .string, .data, .mixed: return .leaf(property)
        case .bool, .int, .float, .double, .date, .uuid, .objectId, .link, .decimal: return .last(.values(property))
        }
    }

    private func add(_ bytes: UInt64, to part: Part) {
        switch part {
        case .schema: use.schemaBytes += bytes
        case .spaceMap: use.spaceMapBytes += bytes
        case .other: use.otherBytes += bytes
        case .structure(let table): tables[table].structureBytes += bytes
        case .recent(let table): tables[table].recentBytes += bytes
        case .values(let property): properties[property].valueBytes += bytes
        case .longValues(let property): properties[property].longValueBytes += bytes
        case .collections(let property): properties[property].collectionBytes += bytes
        case .index(let property): properties[property].indexBytes += bytes
        case .compoundIndex(let table, let place): tables[table].indexBytes[place] += bytes
        case .derivedIndex(let table, let place): tables[table].derivedBytes[place] += bytes
        }
    }

    /// Gives each class what it declares itself.
    private func assemble() {
        for stored in schema.present {
            let owner = stored.superclass == nil ? nil : stored.number
            guard let place = places[schema.table(of: Int(stored.number))] else { continue }
            let table = tables[place]
            var own = SpaceUse.ClassUse(name: stored.name, properties: [], indexes: [])
            if owner == nil { (own.structureBytes, own.recentBytes) = (table.structureBytes, table.recentBytes) }
            for (column, property) in table.stored.properties.enumerated() where property.owner == owner {
                let measured = properties[table.firstProperty + column]
                // The hidden column with the class of each object.
                if property.isClass { own.structureBytes += measured.bytes } else { own.properties.append(measured) }
            }
            for (index, bytes) in zip(table.stored.indexes, table.indexBytes) where index.owner == owner {
                own.indexes.append(SpaceUse.IndexUse(properties: index.columns.map { table.stored.properties[$0].name }, bytes: bytes))
            }
            for (index, bytes) in zip(table.stored.derived, table.derivedBytes) where index.owner == owner {
                let fields = index.fields.map { schema.path(of: $0, in: Int(stored.number)) }
                let language = index.isCollation ? CollationKind.tag(of: index) : index.fullTextOptions?.language
                own.derivedIndexes.append(SpaceUse.DerivedUse(kind: index.kindName, fields: fields, language: language, bytes: bytes))
            }
            if ClassSchema.isHidden(stored.name) { use.otherBytes += own.bytes } else { use.classes.append(own) }
        }
    }
}
