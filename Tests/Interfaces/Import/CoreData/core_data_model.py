"""Models of Core Data: entities, attributes, relationships, and the archive a store keeps of them."""

import zlib

from keyed_archive import UID, Archive

TYPES = {
    "int16": (100, "INTEGER", "int"), "int32": (200, "INTEGER", "int"), "int64": (300, "INTEGER", "int"),
    "decimal": (400, "DECIMAL", "decimal"), "double": (500, "FLOAT", "double"), "float": (600, "FLOAT", "float"),
    "string": (700, "VARCHAR", "string"), "bool": (800, "INTEGER", "bool"), "date": (900, "TIMESTAMP", "date"),
    "data": (1000, "BLOB", "data"), "uuid": (1100, "BLOB", "uuid"), "uri": (1200, "VARCHAR", "string"),
    "transformable": (1800, "BLOB", "mixed"),
}
CLASSES = {"uuid": "NSUUID", "uri": "NSURL", "string": "NSString", "date": "NSDate", "data": "NSData", "decimal": "NSDecimalNumber"}
RULES = {"noaction": 0, "nullify": 1, "cascade": 2, "deny": 3}


class Attribute:
    def __init__(self, name, kind, optional=True, external=False, unique=False, transient=False):
        self.name, self.kind, self.optional, self.external, self.unique = name, kind, optional, external, unique
        self.transient = transient
        self.column = None


class Relationship:
    def __init__(self, name, destination, many=False, ordered=False, rule="nullify", optional=True):
        self.name, self.destination, self.many, self.ordered, self.rule, self.optional = name, destination, many, ordered, rule, optional
        self.entity = None
        self.inverse = None
        self.column = self.order = self.entity_column = None
        self.table = None
        # By owner, the targets in their order.
        self.links = {}

    def pair(self, other):
        self.inverse, other.inverse = other, self
        return self


class Entity:
    def __init__(self, name, parent=None, abstract=False):
        self.name, self.parent, self.abstract = name, parent, abstract
        self.number = 0
        self.attributes, self.relationships = [], []

    def lineage(self):
        return [self] + (self.parent.lineage() if self.parent else [])

    @property
    def root(self):
        return self.lineage()[-1]

    def own(self):
        return sorted(self.attributes + self.relationships, key=lambda p: p.name.encode())

    def inherited(self):
        return self.parent.all() if self.parent else []

    def all(self):
        return self.inherited() + self.own()


class Model:
    def __init__(self):
        self.entities = []

    def entity(self, name, parent=None, abstract=False):
        self.entities.append(Entity(name, parent, abstract))
        return self.entities[-1]

    def relate(self, entity, relationship, inverse=None):
        relationship.entity = entity
        entity.relationships.append(relationship)
        if inverse is relationship:
            relationship.inverse = relationship
        elif inverse:
            inverse.entity = relationship.destination
            relationship.destination.relationships.append(inverse)
            relationship.pair(inverse)
        return relationship

    def number(self):
        """Numbers the entities: siblings by name, each before those that inherit from it."""
        count = 0

        def visit(parent):
            nonlocal count
            for entity in sorted((e for e in self.entities if e.parent is parent), key=lambda e: e.name):
                count += 1
                entity.number = count
                visit(entity)

        visit(None)
        self.entities.sort(key=lambda e: e.number)

    def heirs(self, entity):
        return [e for e in self.entities if entity in e.lineage()]

    def archive(self, style, level=6):
        archive = Archive()
        slots = {entity.name: archive.add({}) for entity in self.entities}
        descriptions = {}

        def description(prop):
            fields = {"NSPropertyName": archive.add(prop.name), "NSEntity": slots[owners[prop].name], "NSUserInfo": UID(0), "_P": 0}
            if prop.optional:
                fields["NSIsOptional"] = True
            if isinstance(prop, Attribute):
                fields["$class"] = archive.kind("NSAttributeDescription", "NSPropertyDescription")
                fields["NSAttributeType"] = TYPES[prop.kind][0]
                if prop.transient:
                    fields["NSIsTransient"] = True
                if prop.kind in CLASSES:
                    fields["NSAttributeValueClassName"] = archive.add(CLASSES[prop.kind])
                return archive.add(fields)
            fields.update({
                "$class": archive.kind("NSRelationshipDescription", "NSPropertyDescription"), "NSMaxCount": 0 if prop.many else 1,
                "NSMinCount": 0 if prop.many or prop.optional else 1, "NSDeleteRule": RULES[prop.rule],
                "NSDestinationEntity": slots[prop.destination.name], "_NSDestinationEntityName": archive.add(prop.destination.name),
                "_NSInverseRelationshipName": archive.add(prop.inverse.name) if prop.inverse else UID(0),
            })
            if prop.ordered:
                fields["NSIsOrdered"] = True
            return archive.add(fields)

        owners = {prop: entity for entity in self.entities for prop in entity.own()}
        for prop in owners:
            descriptions[prop] = description(prop)
        for entity in self.entities:
            pairs = [(archive.add(prop.name), descriptions[prop]) for prop in entity.own()]
            for prop in entity.inherited():
                inner = descriptions[prop]
                if style == "proxy":
                    inner = archive.add({
                        "$class": archive.kind("_NSPropertyDescriptionProxy"), "NSUnderlyingProperty": inner,
                        "NSEntityDescription": slots[entity.name]})
                pairs.append((archive.add(prop.name), inner))
            heirs = [e for e in self.entities if e.parent is entity]
            fields = {
                "$class": archive.kind("NSEntityDescription"), "NSEntityName": archive.add(entity.name),
                "NSClassNameForEntity": archive.add(entity.name), "NSProperties": archive.dictionary(pairs, "NSMutableDictionary"),
                "NSSuperentity": slots[entity.parent.name] if entity.parent else UID(0),
                "NSSubentities": archive.dictionary([(archive.add(e.name), slots[e.name]) for e in heirs], "NSMutableDictionary"),
            }
            if entity.abstract:
                fields["NSIsAbstract"] = True
            archive.objects[slots[entity.name].data] = fields
        root = archive.add({
            "$class": archive.kind("NSManagedObjectModel"),
            "NSEntities": archive.dictionary([(archive.add(e.name), slots[e.name]) for e in self.entities], "NSMutableDictionary"),
            "NSFetchRequestTemplates": archive.dictionary([]), "NSVersionIdentifiers": archive.array([archive.add("")], "NSSet")})
        packer = zlib.compressobj(level, zlib.DEFLATED, -15)
        return packer.compress(archive.bytes(root)) + packer.flush()
