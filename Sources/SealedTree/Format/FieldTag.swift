/// The tags of records' fields, with the numbers of `Attribute` for what is one; the attributes
/// that few items have need no other.
///
/// Source: `Documentation/format.md` §6.
enum FieldTag: UInt32, Comparable {
  case server = 1
  case account = 2
  case realm = 3
  case `protocol` = 4
  case authenticationMethod = 5
  case port = 6
  case path = 7
  case id = 8
  case created = 9
  case modified = 10
  case revision = 11
  case secretKind = 12
  case sealedSecret = 13
  case largeSecret = 14
  case label = 16
  case flags = 21
  case expires = 22
  case removed = 27
  case logOperation = 28
  case logProgram = 30
  case keptUntil = 31
  case logUser = 33
  case logHost = 34
  case logAttributes = 35
  case logCount = 36
  case logName = 37
  case certificates = 38
  case rulePosition = 40
  case ruleName = 41
  case ruleNote = 42
  case ruleHost = 43
  case ruleProtocol = 44
  case rulePort = 45
  case ruleMethod = 46
  case ruleProxy = 47
  case ruleSecure = 48
  case ruleLoopback = 49
  case rulePersistence = 50
  case ruleLifetime = 51
  case ruleAcceptance = 52
  case ruleRefuse = 53
  case ruleService = 55
  case rulePIN = 56
  case ruleNTLM = 57
  case ruleNegotiateInClear = 58
  case treeLevel = 60
  case treeNumber = 61
  case treeDirectory = 62

  static func < (left: FieldTag, right: FieldTag) -> Bool { left.rawValue < right.rawValue }
}

/// The tags of the head's fields.
///
/// Source: `Documentation/format.md` §7.
enum HeadTag: UInt32 {
  case ident = 1
  case generation = 2
  case committed = 3
  case slots = 4
  case directory = 5
  case nextTree = 6
  case nextLargeSecret = 7
  case recentHeads = 8
  case itemCount = 9
  case historyLimit = 10
  case recordKey = 11
  case trashDays = 12
  case mergedHeads = 13
  case logDays = 14
  case mostRemembered = 15
  case ancestors = 16
  case roster = 17
  case commit = 18
  case keepsForPrograms = 19
}
