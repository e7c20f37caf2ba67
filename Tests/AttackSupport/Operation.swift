/// Something that a program does to a vault: a row of the tables of kills and of failing calls.
package enum Operation: String, CaseIterable, Sendable {
  case create
  case open
  case unlock
  case find
  case verify
  case add
  case modify
  case remove
  case large
  case batch
  case backup
  case rekey

  /// Whether it only looks.
  package var isReading: Bool { [.open, .unlock, .find, .verify].contains(self) }

  /// Whether it begins without an open vault.
  package var isOpening: Bool { [.create, .open].contains(self) }

  /// Whether it makes a second vault beside the first.
  package var hasTarget: Bool { [.create, .backup].contains(self) }

  /// The change of items that it is, if it is one.
  package var workload: Workload? { Workload(rawValue: rawValue) }

  /// A vault that it can be done to.
  package func scene() throws -> Scene {
    try Scene(holding: Workload.add.base(Workload.baseCount))
  }
}
