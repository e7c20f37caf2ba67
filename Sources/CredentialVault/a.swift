import VaultStorage
import VaultModel
public func k() -> String { h() + g() }
