import Testing
import VaultModel

@testable import VaultCommands

@Suite("ExitCode")
struct ExitCodeTests {
  /// The exit statuses by the raw value of the error, which never change.
  static let statuses: [(code: Int32, status: Int32)] = [
    (1, 1), (2, 64), (3, 36), (4, 44), (5, 45), (6, 46), (7, 47), (8, 48), (9, 49), (10, 50),
    (11, 51), (12, 52), (13, 54), (14, 54), (15, 55), (16, 65), (17, 65), (18, 66), (19, 69),
    (20, 71), (21, 73), (22, 73), (23, 74), (24, 74), (25, 75), (26, 76), (27, 77), (28, 78),
    (29, 130), (30, 65), (31, 69), (32, 1), (33, 54), (34, 65), (35, 65), (36, 65), (37, 65),
    (38, 36), (39, 51),
  ]

  @Test("an error's status never changes", arguments: statuses)
  func status(_ row: (code: Int32, status: Int32)) {
    #expect(ExitCode(VaultError.Code(rawValue: row.code)).rawValue == row.status)
  }

  @Test("every code that has a name has a status in the list above")
  func complete() {
    let named = (1...100 as ClosedRange<Int32>).filter {
      !VaultError.Code(rawValue: $0).description.hasPrefix("code-")
    }
    #expect(named == Self.statuses.map(\.code))
  }

  @Test("an unknown code is status 1")
  func unknown() {
    #expect(ExitCode(VaultError.Code(rawValue: 9999)) == .other)
  }

  @Test("the statuses are those of the manual")
  func numbers() {
    #expect(
      ExitCode.allCases.map(\.rawValue) == [
        0, 1, 36, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 64, 65, 66, 69, 71, 73, 74, 75,
        76,
        77, 78, 126, 127, 130,
      ])
  }
}
