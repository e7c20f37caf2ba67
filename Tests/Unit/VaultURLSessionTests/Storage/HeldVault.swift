import CredentialVault
import Dispatch
import Foundation
import Testing
import VaultModel

/// Holds a vault's file by a transaction, from now until it is released.
final class HeldVault: Sendable {
  private let end = DispatchSemaphore(value: 0)
  private let over = DispatchGroup()

  init(_ vault: Vault) {
    let isHeld = DispatchSemaphore(value: 0)
    over.enter()
    Thread.detachNewThread { [end, over] in
      do throws(VaultError) {
        try vault.write { (_) throws(VaultError) in
          isHeld.signal()
          end.wait()
        }
      } catch {
        Issue.record("\(error.code)")
      }
      over.leave()
    }
    isHeld.wait()
  }

  /// Releases the file, and waits until it is free.
  func release() {
    end.signal()
    over.wait()
  }
}
