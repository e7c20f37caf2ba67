import Foundation
import FoundationNetworking
import VaultURLSession

/// Says what went wrong, and ends the program.
func fail(_ message: String, status: Int32 = 1) -> Never {
  FileHandle.standardError.write(Data("download: error: \(message)\n".utf8))
  exit(status)
}

let words = CommandLine.arguments.dropFirst()
let file = words.first == "-o" ? words.dropFirst().first.map { URL(filePath: $0) } : nil
let urls = words.dropFirst(file == nil ? 0 : 2).compactMap { URL(string: $0) }
guard !urls.isEmpty, file == nil || urls.count == 1 else {
  fail("usage: Download URL..., or Download -o FILE URL", status: 64)
}

do {
  // The vault and key that vaultctl finds too; what is not there is asked for at the terminal.
  let vault = try Vault.open()
  let session = try AuthenticatedSession(vault: vault, prompt: TerminalPrompt())
  for url in urls {
    let (page, response) = try await session.data(from: url)
    let status = (response as? HTTPURLResponse)?.statusCode ?? 200
    guard status == 200 else {
      fail("\(status) \(HTTPURLResponse.localizedString(forStatusCode: status))")
    }
    if let file { try page.write(to: file) } else { FileHandle.standardOutput.write(page) }
  }
} catch let error as VaultError where error.code == .vaultNotFound {
  fail("\(error)\ndownload: hint: vaultctl init makes one, vaultctl add fills it")
} catch let error as VaultError {
  fail("\(error)")
} catch {
  fail(error.localizedDescription)
}
