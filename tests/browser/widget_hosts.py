"""Pages that load the inspector as front ends without JupyterLab do: VS Code's and Colab's.

Neither is installed here. What is held of them is what they are known to do: the module comes as a
text that is imported from a blob, the style as an element; the one has its own variables beside those
of JupyterLab's light theme, which ipywidgets brings with it, and a policy that names what may load;
the other a frame that belongs to no place and may ask for little.
"""

from __future__ import annotations

import json
from html import escape

from tests.browser.widget_page import STATIC

LIGHT_OF_IPYWIDGETS = {
    "--jp-ui-font-color1": "rgba(0,0,0,.8)",
    "--jp-ui-font-color2": "rgba(0,0,0,.54)",
    "--jp-layout-color1": "white",
    "--jp-layout-color2": "#eeeeee",
    "--jp-border-color1": "#bdbdbd",
    "--jp-border-color2": "#e0e0e0",
    "--jp-brand-color1": "#1976d2",
    "--jp-ui-inverse-font-color1": "white",
    "--jp-cell-editor-background": "#f7f7f7",
    "--jp-content-link-color": "#1976d2",
    "--jp-error-color1": "#d32f2f",
    "--jp-warn-color1": "#f57c00",
    "--jp-success-color1": "#388e3c",
}
VSCODE_DARK = {
    "--vscode-editor-background": "#1f1f1f",
    "--vscode-editor-foreground": "#cccccc",
    "--vscode-focusBorder": "#0078d4",
    "--vscode-errorForeground": "#f85149",
    "--vscode-editorWarning-foreground": "#cca700",
    "--vscode-font-family": "system-ui",
    "--vscode-editor-font-family": "monospace",
    "--vscode-textLink-foreground": "#4daafc",
    "--vscode-button-background": "#0078d4",
    "--vscode-button-foreground": "#ffffff",
}
VSCODE_HIGH_CONTRAST = {
    **{name: value for name, value in VSCODE_DARK.items() if name != "--vscode-button-background"},
    "--vscode-editor-background": "#000000",
    "--vscode-editor-foreground": "#ffffff",
    "--vscode-focusBorder": "#f38518",
    "--vscode-contrastBorder": "#6fc3df",
}


def vscode(kind: str, variables: dict[str, str]) -> str:
    """The page of a notebook's outputs; `kind` is `vscode-dark` or another that it knows."""
    style = ";".join(f"{name}:{value}" for name, value in (LIGHT_OF_IPYWIDGETS | variables).items())
    return f"""\
<!doctype html><html lang="en" style="{style}"><head><meta charset="utf-8"><title>notebook</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none';
 script-src 'self' 'unsafe-inline' blob:; style-src 'self' 'unsafe-inline'; img-src 'self' data:">
<style>body {{ margin: 0; background: var(--vscode-editor-background); }}
.cell-output-ipywidget-background {{ padding: 4px; background: white !important }}</style></head>
<body class="{kind}" data-vscode-theme-kind="{kind}" role="document">
<main class="cell-output-ipywidget-background"><div id="place"></div></main>
{_imported()}</body></html>"""


def colab() -> str:
    """A page with the frame of an output, which may run scripts and is of no origin."""
    frame = f"""\
<!doctype html><html lang="en" theme="dark"><head><meta charset="utf-8"><title>output</title>
<style>html[theme=dark] {{ color-scheme: dark; --colab-primary-text-color: #e3e3e3;
 --colab-primary-surface-color: #383838; }} body {{ margin: 8px; }}</style></head>
<body><main id="place"></main>{_imported()}</body></html>"""
    return f"""\
<!doctype html><html lang="en"><head><meta charset="utf-8"><title>notebook</title></head>
<body style="margin: 0"><iframe title="output" sandbox="allow-scripts allow-forms allow-popups"
 style="width: 100%; height: 680px; border: 0" srcdoc="{escape(frame)}"></iframe></body></html>"""


def _imported() -> str:
    """The script that puts the style in and imports the module, both from texts."""
    texts = [(STATIC / name).read_text(encoding="utf-8") for name in ("inspector.js", "inspector.css")]
    module, style = (json.dumps(text).replace("</", "<\\/") for text in texts)
    return f"""\
<script type="module">
document.head.append(Object.assign(document.createElement('style'), {{ textContent: {style} }}));
const blob = new Blob([{module}], {{ type: 'text/javascript' }});
const {{ default: widget }} = await import(URL.createObjectURL(blob));
MODEL
</script>"""
