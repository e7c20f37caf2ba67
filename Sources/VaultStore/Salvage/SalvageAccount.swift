import SealedTree
import VaultModel
import VaultReports

/// The counts of what a salvage saved and lost.
struct SalvageAccount {
  /// The limit on named problems and unverified items; the others are only counted.
  private static let mostNamed = 10_000

  private(set) var report = SalvageReport()
  /// The number of records that directories count but that were not found.
  var missing = 0
  private var lostItems = 0

  mutating func note(_ problem: VaultProblem) {
    if report.problems.count < Self.mostNamed { report.problems.append(problem) }
  }

  private mutating func lose(_ problem: VaultProblem) {
    report.lostCount += 1
    if problem.item != nil { lostItems += 1 }
    if report.lost.count < Self.mostNamed { report.lost.append(problem) }
  }

  private static func problem(of record: AnyRecord, _ error: VaultError) -> VaultProblem {
    guard case .item(let item) = record else {
      let what =
        switch record {
        case .previousSecret: "a previous secret"
        case .removedItem: "an item of the trash"
        default: "a record"
        }
      return VaultProblem(.record, "\(what): \(error.context)")
    }
    var problem = VaultProblem(.secret, error.context)
    problem.item = item.item.id
    problem.server = item.item.key.server
    problem.account = item.item.key.account
    return problem
  }

  /// Computes how much is known to be missing.
  ///
  /// - Parameters:
  ///   - itemCount: The number of saved items.
  ///   - head: Has the number of items before the damage; nil if it is lost.
  mutating func conclude(itemCount: Int, head: Head?) {
    report.itemCount = itemCount
    if report.lostCount > report.lost.count {
      var problem = VaultProblem(.record, "further records that are not named here")
      problem.missing = report.lostCount - report.lost.count
      report.lost.append(problem)
    }
    guard let head else {
      return report.lost.append(
        VaultProblem(.count, "how much is missing cannot be told, because the head is lost"))
    }
    let items = Int(clamping: head.itemCount) - report.itemCount - lostItems
    if items > 0 {
      var problem = VaultProblem(.count, "items that were not found")
      problem.missing = items
      report.lost.append(problem)
    } else if missing > 0 {
      var problem = VaultProblem(.count, "records that were not found, and that are no items")
      problem.missing = missing
      report.lost.append(problem)
    }
  }

  /// Notes lost buckets; adjacent ones of a tree are one problem.
  mutating func lose(_ numbers: ClosedRange<UInt32>, of place: TreePlace) {
    if let last = report.problems.last, last.tree == Int(place.number), let buckets = last.buckets,
      buckets.upperBound == Int(numbers.lowerBound) - 1
    {
      report.problems[report.problems.count - 1].buckets =
        buckets.lowerBound...Int(numbers.upperBound)
      return
    }
    var problem = VaultProblem(.bucket, "no row is the one that the tree names")
    problem.tree = Int(place.number)
    problem.buckets = Int(numbers.lowerBound)...Int(numbers.upperBound)
    problem.server = place.server
    problem.account = place.account
    note(problem)
  }

  /// Notes a malformed record.
  mutating func lose(recordOf kind: UInt8, _ error: VaultError) {
    if kind == RecordKind.item { lostItems += 1 }
    lose(VaultProblem(.record, "a record: \(error.context)"))
  }

  /// Notes a record whose secrets do not open.
  mutating func lose(_ record: AnyRecord, _ error: VaultError) {
    lose(Self.problem(of: record, error))
  }

  /// Notes a saved record that may be outdated or have been removed.
  mutating func note(unverified record: AnyRecord) {
    switch record {
    case .item(let item):
      report.unverifiedCount += 1
      if report.unverified.count < Self.mostNamed { report.unverified.append(item.item) }
    case .rule(let rule):
      note(
        VaultProblem(
          .record,
          "rule \"\(rule.rule.name)\" of the policy may be an older one, or one that was removed"))
    default: return
    }
  }
}
