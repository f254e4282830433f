"""Whole answers of each provider, for tests: every kind of part at least once."""

from __future__ import annotations

from typing import Any

CHAT: dict[str, dict[str, Any]] = {
    "text": {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "small-1",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": 'Pump 4 is at 61 °C. "ok" 😀'},
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": 9,
            "completion_tokens": 12,
            "prompt_tokens_details": {"cached_tokens": 4},
        },
    },
    "calls": {
        "id": "chatcmpl-2",
        "created": 1,
        "model": "small-1",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {
                            "id": "call_a",
                            "type": "function",
                            "function": {"name": "read_gauge", "arguments": '{"pump": 4}'},
                        },
                        {
                            "id": "call_b",
                            "type": "function",
                            "function": {"name": "read_gauge", "arguments": '{"pump": 9.50}'},
                        },
                        {
                            "id": "call_c",
                            "type": "custom",
                            "custom": {"name": "run_query", "input": 'select é, "x"\n'},
                        },
                    ],
                },
                "finish_reason": "tool_calls",
            }
        ],
    },
    "refusal": {
        "id": "chatcmpl-3",
        "created": 1,
        "model": "small-1",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": None,
                    "refusal": "I will not open that valve.",
                    "reasoning_content": "The valve is under pressure.",
                },
                "finish_reason": "stop",
            }
        ],
    },
    "legacy": {
        "id": "chatcmpl-4",
        "created": 1,
        "model": "small-1",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": None,
                    "function_call": {"name": "read_gauge", "arguments": '{"pump":4}'},
                },
                "finish_reason": "function_call",
            }
        ],
    },
}

ANTHROPIC: dict[str, dict[str, Any]] = {
    "text": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-small",
        "content": [
            {
                "type": "text",
                "text": "Pump 4 is at 61 °C.",
                "citations": [{"type": "char_location", "cited_text": "61 °C"}],
            },
            {"type": "text", "text": 'It is "warm" 😀.'},
        ],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 9, "output_tokens": 12},
    },
    "calls": {
        "id": "msg_2",
        "type": "message",
        "role": "assistant",
        "model": "claude-small",
        "content": [
            {"type": "thinking", "thinking": "I need two gauges.", "signature": "c2ln"},
            {"type": "redacted_thinking", "data": "aGlkZGVu"},
            {"type": "text", "text": "Reading both."},
            {"type": "tool_use", "id": "toolu_a", "name": "read_gauge", "input": {"pump": 4}},
            {"type": "tool_use", "id": "toolu_b", "name": "list_pumps", "input": {}},
        ],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 9, "output_tokens": 40},
    },
    "provider tools": {
        "id": "msg_3",
        "type": "message",
        "role": "assistant",
        "model": "claude-small",
        "content": [
            {
                "type": "server_tool_use",
                "id": "srvtoolu_a",
                "name": "web_search",
                "input": {"query": "pump 4 manual"},
            },
            {
                "type": "web_search_tool_result",
                "tool_use_id": "srvtoolu_a",
                "content": [
                    {
                        "type": "web_search_result",
                        "title": "Manual of pump 4",
                        "url": "https://pumps.example/4",
                        "encrypted_content": "ZW5j",
                        "page_age": None,
                    }
                ],
            },
            {
                "type": "mcp_tool_use",
                "id": "mcptoolu_a",
                "name": "find_part",
                "server_name": "store",
                "input": {"part": "seal-9"},
            },
            {
                "type": "mcp_tool_result",
                "tool_use_id": "mcptoolu_a",
                "is_error": False,
                "content": [{"type": "text", "text": "seal-9: 3 in stock"}],
            },
            {
                "type": "bash_code_execution_tool_result",
                "tool_use_id": "srvtoolu_b",
                "content": {
                    "type": "bash_code_execution_result",
                    "stdout": "42\n",
                    "stderr": "",
                    "return_code": 0,
                    "content": [],
                },
            },
            {"type": "container_upload", "file_id": "file_1"},
            {"type": "text", "text": "Three seals are in stock."},
        ],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 9, "output_tokens": 40, "server_tool_use": {"web": 1}},
    },
}

RESPONSES: dict[str, dict[str, Any]] = {
    "text": {
        "id": "resp_1",
        "object": "response",
        "model": "small-1",
        "status": "completed",
        "error": None,
        "output": [
            {
                "id": "rs_1",
                "type": "reasoning",
                "summary": [
                    {"type": "summary_text", "text": "Look at the gauge."},
                    {"type": "summary_text", "text": "Then answer."},
                ],
                "encrypted_content": "ZW5j",
            },
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [
                    {"type": "output_text", "text": "Pump 4 is at 61 °C 😀.", "annotations": []}
                ],
            },
        ],
        "usage": {"input_tokens": 9, "output_tokens": 12, "total_tokens": 21},
    },
    "calls": {
        "id": "resp_2",
        "object": "response",
        "model": "small-1",
        "status": "completed",
        "output": [
            {
                "id": "fc_1",
                "type": "function_call",
                "status": "completed",
                "call_id": "call_a",
                "name": "read_gauge",
                "arguments": '{"pump":4}',
            },
            {
                "id": "ctc_1",
                "type": "custom_tool_call",
                "status": "completed",
                "call_id": "call_b",
                "name": "run_query",
                "input": "select 1",
            },
        ],
        "usage": {"input_tokens": 9, "output_tokens": 12},
    },
    "provider tools": {
        "id": "resp_3",
        "object": "response",
        "model": "small-1",
        "status": "completed",
        "output": [
            {
                "id": "ws_1",
                "type": "web_search_call",
                "status": "completed",
                "action": {"type": "search", "query": "pump 4"},
            },
            {
                "id": "fs_1",
                "type": "file_search_call",
                "status": "completed",
                "queries": ["seal"],
                "results": [{"file_id": "file_1", "text": "seal-9 fits", "score": 0.5}],
            },
            {
                "id": "ci_1",
                "type": "code_interpreter_call",
                "status": "completed",
                "code": "print(6 * 7)",
                "container_id": "cntr_1",
                "outputs": [{"type": "logs", "logs": "42"}],
            },
            {
                "id": "mcp_1",
                "type": "mcp_call",
                "status": "completed",
                "server_label": "store",
                "name": "find_part",
                "arguments": '{"part":"seal-9"}',
                "output": "3 in stock",
                "error": None,
            },
            {
                "id": "mcpl_1",
                "type": "mcp_list_tools",
                "server_label": "store",
                "tools": [{"name": "find_part"}],
            },
        ],
        "usage": {"input_tokens": 1, "output_tokens": 2},
    },
    "refusal": {
        "id": "resp_4",
        "object": "response",
        "model": "small-1",
        "status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"},
        "output": [
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "status": "incomplete",
                "content": [{"type": "refusal", "refusal": "I will not open"}],
            }
        ],
        "usage": {"input_tokens": 1, "output_tokens": 2},
    },
}

ALL: list[tuple[str, str, dict[str, Any]]] = [
    (provider, name, document)
    for provider, documents in (
        ("openai-chat", CHAT),
        ("anthropic", ANTHROPIC),
        ("openai-responses", RESPONSES),
    )
    for name, document in documents.items()
]
