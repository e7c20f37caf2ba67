import CredentialVault
import Glibc
import Interchange
import SecretService
import SessionBus
import VaultModel
import VaultTerminal

/// `vaultctl-secret-service`: the program that the session bus starts for
/// `org.freedesktop.secrets`.
@main
enum Program {
  static func main() {
    ProcessHardening.apply(command: "secret-service")
    exit(run(Array(CommandLine.arguments.dropFirst())))
  }

  private static func run(_ words: [String]) -> Int32 {
    do throws(VaultError) {
      switch words.first {
      case nil: return try serve(idle: 30)
      case "--idle" where words.count == 2:
        guard let seconds = Int64(words[1]), (1...86_400).contains(seconds) else { break }
        return try serve(idle: seconds)
      case "--owner" where words.count == 1: return try tellOwner()
      case "--export" where words.count == 1: return try exportItems()
      case "--man" where words.count == 1:
        write(ManualPage.text, to: STDOUT_FILENO)
        return EXIT_SUCCESS
      case "--version" where words.count == 1:
        write("vaultctl-secret-service \(ProductVersion.current)\n", to: STDOUT_FILENO)
        return EXIT_SUCCESS
      case "--help" where words.count == 1:
        write(ManualPage.help, to: STDOUT_FILENO)
        return EXIT_SUCCESS
      default: break
      }
      write("vaultctl-secret-service: error: wrong use\n\(ManualPage.help)", to: STDERR_FILENO)
      return 64
    } catch {
      if error.code == .closed { return EXIT_SUCCESS }
      write("vaultctl-secret-service: error: \(error)\n", to: STDERR_FILENO)
      return 69
    }
  }

  private static func serve(idle seconds: Int64) throws(VaultError) -> Int32 {
    let server = try Server(idle: .seconds(seconds))
    guard try !server.run() else { return EXIT_SUCCESS }
    write(
      "vaultctl-secret-service: error: another program has the name \(Server.name)\n",
      to: STDERR_FILENO)
    return EXIT_FAILURE
  }

  /// Prints the program that has the name; the exit status is 44 if none has.
  private static func tellOwner() throws(VaultError) -> Int32 {
    guard let process = try SessionBus().owner(of: Server.name) else { return 44 }
    write("\(program(of: process))\n", to: STDOUT_FILENO)
    return EXIT_SUCCESS
  }

  /// Writes the items of the service that has the name, as an export of vaultctl.
  private static func exportItems() throws(VaultError) -> Int32 {
    guard isatty(STDOUT_FILENO) != 1 else {
      throw VaultError(.invalidArgument, "the secrets would show on the terminal")
    }
    let bus = try SessionBus()
    var export = try ItemExport { (bytes) throws(VaultError) in
      try Descriptor.write(bytes, to: STDOUT_FILENO)
    }
    let leftOut = try OtherService { (call) throws(VaultError) in
      try bus.call(call, to: Server.name)
    }
    .forEachItem { (item) throws(VaultError) in try export.add(item) }
    for (title, reason) in leftOut { export.leaveOut(title, because: reason) }
    try export.end()
    return EXIT_SUCCESS
  }

  private static func program(of process: Int32) -> String {
    // realpath gives a string of its own, freed here.
    guard let path = unsafe realpath("/proc/\(process)/exe", nil) else {
      return name(of: process) ?? "process \(process)"
    }
    defer { unsafe free(path) }
    return unsafe String(cString: path)
  }

  /// Returns the first word of a program's command line: what it calls itself, if it keeps its file
  /// from others, as this program does.
  private static func name(of process: Int32) -> String? {
    // A C string during the call.
    let descriptor = unsafe open("/proc/\(process)/cmdline", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    // As many bytes as the array has, at most.
    guard unsafe read(descriptor, &bytes, bytes.count) > 0 else { return nil }
    let word = bytes.prefix { $0 != 0 }
    // Text for a terminal, on which any program may have put what it likes.
    guard !word.isEmpty, word.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return nil }
    return String(decoding: word, as: UTF8.self)
  }

  private static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    // Text for people, as much of it as is taken.
    _ = unsafe Glibc.write(descriptor, bytes, bytes.count)
  }
}
