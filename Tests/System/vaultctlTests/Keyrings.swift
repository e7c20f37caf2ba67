import Foundation
import ProgramTesting
import VaultStore
import Testing

extension Trait where Self == ConditionTrait {
  /// The test needs the kernel's keyrings, which containers often deny.
  static var needsKeyrings: Self {
    .enabled("the kernel's keyrings are denied here: only the denied case runs") {
      if case .works = KeyringState.current() { true } else { false }
    }
  }

  /// The test enters a user namespace, which containers and hardened kernels often deny.
  static var needsUserNamespaces: Self {
    .enabled("user namespaces are denied here") {
      try ProgramFixture().run("unshare -Ur true").status == 0
    }
  }

  /// The test becomes other users, which only root may.
  static var needsRoot: Self {
    .enabled(if: geteuid() == 0, "only root can become another user")
  }
}
