// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// A token for tests: ERC-20, and what real tokens do besides (return nothing, return false, block an address).
contract TestToken {
    uint8 public immutable decimals;
    string public symbol;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => bool) public isBlocked;
    bool public returnsNothing;
    bool public returnsFalse;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(string memory symbol_, uint8 decimals_) {
        symbol = symbol_;
        decimals = decimals_;
    }

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function configure(bool returnsNothing_, bool returnsFalse_) external {
        returnsNothing = returnsNothing_;
        returnsFalse = returnsFalse_;
    }

    function setBlocked(address owner, bool isBlocked_) external {
        isBlocked[owner] = isBlocked_;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        if (returnsFalse) return false;
        require(!isBlocked[msg.sender] && !isBlocked[to], "blocked");
        require(balanceOf[msg.sender] >= value, "balance");
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        if (returnsNothing) {
            assembly {
                return(0, 0)
            }
        }
        return true;
    }

    /// Several transfers in one transaction, as exchanges pay out.
    function transferMany(address[] calldata to, uint256[] calldata values) external {
        for (uint256 i = 0; i < to.length; i++) {
            require(balanceOf[msg.sender] >= values[i], "balance");
            balanceOf[msg.sender] -= values[i];
            balanceOf[to[i]] += values[i];
            emit Transfer(msg.sender, to[i], values[i]);
        }
    }
}
