import Foundation
import VaultModel

// A program that does with URLSession what tests cannot do in their own process.
// Its first argument is a mode.
let arguments = Array(CommandLine.arguments.dropFirst(2))
do {
  let lines: [String]
  switch CommandLine.arguments.dropFirst().first {
  case "request": lines = try await request(arguments)
  case "proxied": lines = await proxied(arguments)
  default: exit(64)
  }
  try FileHandle.standardOutput.write(
    contentsOf: Data(lines.map { "\($0)\n" }.joined().utf8))
} catch {
  let text = "error \((error as? VaultError)?.code.description ?? "\(error)")\n"
  try FileHandle.standardError.write(contentsOf: Data(text.utf8))
  exit(1)
}
