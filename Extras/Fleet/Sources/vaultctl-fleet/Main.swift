import Glibc
import VaultCommands
import VaultFleet
import VaultModel

/// `vaultctl-fleet`: the command `fleet` of `vaultctl`, and the arbiter that every program starts
/// to write a replica.
@main
enum Main {
  static func main() {
    let words = CommandLine.arguments.dropFirst()
    guard words.first == "order" else {
      Program.main(named: "vaultctl-fleet", running: "fleet", FleetProgram.run)
    }
    do throws(VaultError) {
      try order(Array(words.dropFirst()))
    } catch {
      // Nobody reads a message: the other end is gone, or reports that this one is.
      exit(1)
    }
  }

  /// Orders the writes of the program at the other end of the socket that is standard input.
  ///
  /// - Parameter words: The replica's path, its id, and the limit of waiting for others in ms.
  /// - Throws: ``VaultError/Code/invalidArgument``; as
  ///   ``Fleet/order(_:at:lockTimeout:input:output:)``.
  private static func order(_ words: [String]) throws(VaultError) {
    guard words.count == 3, let vault = VaultID(hexadecimal: words[1]), let limit = Int64(words[2])
    else {
      throw VaultError(.invalidArgument, "order is for the programs that write a replica")
    }
    try Fleet.order(
      vault, at: words[0], lockTimeout: .milliseconds(limit), input: STDIN_FILENO,
      output: STDOUT_FILENO)
  }
}
