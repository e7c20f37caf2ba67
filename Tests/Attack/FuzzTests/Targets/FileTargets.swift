import FuzzTesting
import AttackSupport
import VaultModel
import VaultReports

// For any file on the disk, a program gets the vault's content or an error. Each input is a file,
// or is beside one, and the vault is used as a program uses it.
extension FuzzTarget {
  /// A whole file after a byte that is not 0, else the small golden vault with some of its bytes
  /// changed: `u16 offset / 8 ‖ u8 offset % 8 and length ‖ bytes`, again and again.
  static let image = FuzzTarget(name: "image") { bytes in
    var input = Input(bytes)
    let isWhole = input.byte() != 0
    let golden = try GoldenVault.small.get()
    let turn = Int(input.byte())
    let file = isWhole ? input.remaining() : changed(golden.bytes, by: &input)
    return try use(golden, turn: turn, file: file)
  }

  private static func changed(_ bytes: [UInt8], by input: inout Input) -> [UInt8] {
    var file = bytes
    while !input.isEmpty {
      let page = Int(input.number(2)) * 8
      let place = input.byte()
      let offset = (page + Int(place & 7)) % file.count
      for (index, byte) in input.bytes(Int(place >> 3) + 1).enumerated()
      where offset + index < file.count {
        file[offset + index] = byte
      }
    }
    return file
  }

  /// The content of the journal beside the small golden vault.
  static let journal = FuzzTarget(name: "journal") { bytes in
    var input = Input(bytes)
    let turn = Int(input.byte())
    let golden = try GoldenVault.small.get()
    return try use(golden, turn: turn, file: golden.bytes, journal: input.remaining())
  }

  /// The content of the state folder's record of the small golden vault.
  static let stateRecord = FuzzTarget(name: "state-record") { bytes in
    let golden = try GoldenVault.small.get()
    let folder = try Folder()
    try File.write(golden.bytes, to: folder("v"))
    _ = try GoldenVault.read(folder("v"), key: golden.key, stateFolder: folder("state"))
    let names = try folder.contents(of: "state")
    try require(!names.isEmpty, "nothing is remembered")
    for name in names { try File.write(bytes, to: folder("state/\(name)")) }
    let outcome = try judge(
      AnswerCheck(
        golden, at: folder("v"), expecting: [.rolledBack, .forked, .anotherVault],
        stateFolder: folder("state")), turn: 0, folder, besides: ["state", "v"])
    // A file that looks like a record and does not verify is put aside, and reported by `doctor`.
    let isAside = try folder.contents(of: "state").count > names.count
    return isAside ? .refused : outcome
  }

  /// The errors with which an opened vault may be refused, because its file or journal is not
  /// valid.
  private static let refusals: Set<VaultError.Code> = [
    .damaged, .notAVault, .tooNew, .authenticationFailed, .unsafePermissions, .outOfMemory,
  ]

  private static func use(
    _ golden: GoldenVault, turn: Int, file: [UInt8], journal: [UInt8]? = nil
  ) throws -> Outcome {
    let folder = try Folder()
    try File.write(file, to: folder("v"))
    if let journal { try File.write(journal, to: folder("v-journal")) }
    return try judge(
      AnswerCheck(golden, at: folder("v"), expecting: refusals), turn: turn, folder,
      besides: ["v", "v-journal"])
  }

  private static func judge(
    _ judge: AnswerCheck, turn: Int, _ folder: Folder, besides names: Set<String>
  ) throws -> Outcome {
    let verdict = judge.judge(turn: turn)
    let left = try Set(folder.contents()).subtracting(names)
    try require(left.isEmpty, "left behind: \(left.sorted())")
    switch verdict {
    case .right: return .read
    case .refused: return .refused
    case .wrong(let what): throw DiagnosticResult(what)
    }
  }
}
