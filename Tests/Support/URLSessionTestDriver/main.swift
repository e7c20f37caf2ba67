import Foundation
import Glibc
import URLSessionTesting
import VaultModel

// A program for uses of URLSession that tests cannot make in their own process. Its words are a
// mode and its arguments; or a scenario, after how many seconds it is given up, and the engine if
// it is of both. Given up, the status is 97: nothing else ends a process whose sessions hang.
let words = Array(CommandLine.arguments.dropFirst())
// The handler calls nothing but `_exit`, as a signal's may.
signal(SIGALRM) { _ in _exit(97) }
alarm(words.dropFirst().first.flatMap(UInt32.init) ?? 120)
do {
  let lines: [String]
  let arguments = Array(words.dropFirst())
  switch words.first {
  case "request": lines = try await request(arguments)
  case "cancelled-own": lines = try await cancelledOwn(arguments)
  case "cancelled-over-transport": lines = try await cancelledOverTransport(arguments)
  case "proxied": lines = await proxied(arguments)
  case "proxy-logins": lines = try await proxyLogins(arguments)
  default:
    if let scenario = words.first.flatMap(Scenario.init) {
      let engine = arguments.dropFirst().first.flatMap(Engine.init) ?? .foundation
      lines = try await Task.detached { try await play(scenario, engine) }.value
    } else if let scenario = words.first.flatMap(StockScenario.init) {
      lines = try await Task.detached { try await playStock(scenario) }.value
    } else {
      exit(64)
    }
  }
  try FileHandle.standardOutput.write(
    contentsOf: Data(lines.map { "\($0)\n" }.joined().utf8))
} catch {
  let text = "error \((error as? VaultError)?.code.description ?? "\(error)")\n"
  try FileHandle.standardError.write(contentsOf: Data(text.utf8))
  _exit(1)
}
// Not `exit`: threads of servers and sessions still run.
_exit(0)
