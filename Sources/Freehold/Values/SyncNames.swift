public import FreeholdEngine

/// How the objects of a class are synced.
public typealias SyncRules = FreeholdEngine.SyncRules

/// The effect of a change to an object that another device deletes at the same time.
public typealias SyncConflict = FreeholdEngine.SyncConflict
