"""Every sentence of the offline model, in English and in Chinese."""

from __future__ import annotations

from typing import Literal

from pi_notebook.models.offline.answers.labels import LABELS

Language = Literal["en", "zh"]

SENTENCES: dict[str, tuple[str, str]] = {
    "disclaimer": (
        "*Answered by rule by the built-in `offline` model, which is not a language model.*",
        "*由内置的 `offline` 模型按规则回答，它不是语言模型。*",
    ),
    "choose_model": (
        "A language model can take it further: `%agent model openai/gpt-4o` (with `OPENAI_API_KEY` set), "
        "or any other by name.",
        "要更进一步，可以换用语言模型：`%agent model openai/gpt-4o`（需设置 `OPENAI_API_KEY`），或任何其"
        "他模型。",
    ),
    "hello": (
        "Hello. Name a dataframe or a CSV file and ask, for example: explore `penguins.csv`.",
        "你好。请给出一个数据框或 CSV 文件的名字并提问，例如：探索 `penguins.csv`。",
    ),
    "abilities": (
        "I can, by rule: give an overview of a frame or CSV file; mean, median, sum, minimum, maximum "
        "and counts, with filters and by group; missing values, duplicates, outliers, trends over a date "
        "column, correlations, the comparison of two groups, the top rows, and plots.",
        "我能按规则做：数据框或 CSV 文件的概览；均值、中位数、总和、最小值、最大值和计数（可筛选、可分组"
        "）；缺失值、重复行、异常值、日期列的趋势、相关性、两组比较、排名靠前的行，以及画图。",
    ),
    "looking": ("I look at what the kernel holds.", "先看看内核里有哪些变量。"),
    "loading": (
        "I load {path} into {name} and look at its columns.",
        "把 {path} 读入 {name}，并查看各列。",
    ),
    "profiling": ("I look at the columns of {name}.", "查看 {name} 的各列。"),
    "retry_library": (
        "That library is not installed here; I try the other one.",
        "这里没有安装该库，改用另一个。",
    ),
    "retry_csv": (
        "Neither pandas nor polars is installed here; I use Python's csv module.",
        "pandas 和 polars 都没有安装，改用 Python 自带的 csv 模块。",
    ),
    "retry_separator": (
        "The file's columns are parted by {mark}; I load it again.",
        "该文件的列以 {mark} 分隔，重新读取。",
    ),
    "refused": (
        "Running code was refused, so nothing was computed. To allow it, answer yes when asked, or start "
        "the cell with `%%agent --auto`. The tool said: {why}",
        "运行代码被拒绝，所以没有计算任何结果。要允许运行，请在询问时回答“是”，或用 `%%agent --auto` 开头"
        "。工具的说明：{why}",
    ),
    "failed": (
        "The code stopped with an error, and I do not try again: {why}",
        "代码出错，我不再重试：{why}",
    ),
    "load_failed": ("I could not load {path}: {why}", "无法读取 {path}：{why}"),
    "no_tool": (
        "I need the tool {tool} for this, and it is not available in this mode.",
        "这需要工具 {tool}，当前模式下不可用。",
    ),
    "nothing": (
        "There is no dataframe here and the question names no file. Load one, or name a CSV file: "
        "explore `data/penguins.csv`.",
        "这里没有数据框，问题中也没有文件名。请先读入数据，或给出 CSV 文件名：探索 `data/penguins.csv`。",
    ),
    "which_frame": (
        "There is more than one frame: {frames}. Which one do you mean? Name one, for example: explore "
        "{first}.",
        "有不止一个数据框：{frames}。请指明是哪一个，例如：探索 {first}。",
    ),
    "other_names": ("Other variables: {names}.", "其他变量：{names}。"),
    "known": (
        "{frame} has {rows} rows and {columns} columns: {names}.",
        "{frame} 有 {rows} 行 {columns} 列：{names}。",
    ),
    "unclear_words": (
        "I cannot answer this by rule: I do not know what to do with {words}.",
        "我不能按规则回答：不知道如何处理 {words}。",
    ),
    "unclear_ambiguous": (
        "{word} could mean {words}; please name one.",
        "{word} 可能指 {words}；请指明其中一个。",
    ),
    "unclear_no_column": ("I do not see which column the question is about.", "看不出问题问的是哪一列。"),
    "unclear_not_numeric": (
        "This needs a column of numbers, and {words} is none.",
        "这需要数值列，而 {words} 不是。",
    ),
    "unclear_no_date": (
        "This needs one column of dates, and I find none that I can read safely.",
        "这需要一个日期列，而我没有找到能可靠读取的日期列。",
    ),
    "unclear_unsupported": (
        "I have no rule for this combination: {words}.",
        "我没有处理这种组合的规则：{words}。",
    ),
    "loaded": ("Loaded {path} into {name}.", "已把 {path} 读入 {name}。"),
    "reading": ("I read “{word}” as {column}.", "我把“{word}”理解为 {column}。"),
    "row_noun": ("Each row is taken as one of the “{noun}”.", "每一行视为一个“{noun}”。"),
    "unread": (
        "{count} values of {column} do not read as numbers and were left out.",
        "{column} 中有 {count} 个值不能读作数字，已略去。",
    ),
    "text_numbers": (
        "{column} is text that reads as numbers; signs like $, % and thousands commas were taken off.",
        "{column} 是可读作数字的文本，已去掉 $、% 和千位逗号等符号。",
    ),
    "sampled": ("Correlations come from a sample of {count} rows.", "相关系数来自 {count} 行的抽样。"),
    "sampled_values": (
        "Distinct values were counted in a sample of 200,000 rows.",
        "不同值的个数是在 200,000 行的抽样中数的。",
    ),
    "first_columns": (
        "Only the first {count} of {all} columns were looked at.",
        "共 {all} 列，只查看了前 {count} 列。",
    ),
    "where": (" where {conditions}", "（条件：{conditions}）"),
    "rows_used": ("{values} of {rows} rows have a value.", "{rows} 行中有 {values} 行有值。"),
    "value_is": (
        "The {measure} of {column}{where} is **{value}**.",
        "{column}{where}的{measure}为 **{value}**。",
    ),
    "no_values": ("No row{where} has a value of {column}.", "没有 {column} 有值的行{where}。"),
    "group_leads": (
        "**{group}** has the {end} {measure} of {column}: {value}.",
        "{column} 的{measure}{end}的是 **{group}**：{value}。",
    ),
    "group_leads_tied": (
        "The {end} {measure} of {column} is {value}, shared by **{group}**.",
        "{column} 的{measure}{end}为 {value}，并列的有 **{group}**。",
    ),
    "by_group": (
        "The {measure} of {column} by {group}{where}:",
        "按 {group} 分组的 {column} 的{measure}{where}：",
    ),
    "more_groups": (
        "There are {count} groups; the first {shown} are shown.",
        "共有 {count} 组，只显示前 {shown} 组。",
    ),
    "left_out": ("Rows without {column} ({count}) are left out.", "没有 {column} 的 {count} 行未计入。"),
    "row_count": (
        "**{value}** of the {all} rows of {frame} match {conditions}.",
        "{frame} 的 {all} 行中有 **{value}** 行符合 {conditions}。",
    ),
    "all_rows": ("{frame} has **{value}** rows.", "{frame} 有 **{value}** 行。"),
    "counts_by": ("Rows by {group}{where}, of {rows}:", "按 {group} 计数{where}，共 {rows} 行："),
    "count_leads": (
        "**{group}** has the {end} number of rows: {value}.",
        "行数{end}的是 **{group}**：{value} 行。",
    ),
    "share": (
        "**{percent}**: {part} of the {all} rows of {frame} match {conditions}.",
        "**{percent}**：{frame} 的 {all} 行中有 {part} 行符合 {conditions}。",
    ),
    "share_known": (
        "Of the {known} rows where this is known it is {percent}.",
        "在该项已知的 {known} 行中占 {percent}。",
    ),
    "missing_none": (
        "No value is missing in {subject}{where} ({rows} rows).",
        "{subject}{where}没有缺失值（共 {rows} 行）。",
    ),
    "missing_some": (
        "**{rows_missing}** of {rows} rows ({percent}) have at least one missing value{where} in "
        "{subject}; {cells} values are missing.",
        "{subject} 的 {rows} 行中有 **{rows_missing}** 行（{percent}）{where}至少有一个缺失值；"
        "共缺失 {cells} 个值。",
    ),
    "duplicates_none": (
        "No row of {subject} is repeated ({rows} rows).",
        "{subject} 没有重复行（共 {rows} 行）。",
    ),
    "duplicates_some": (
        "**{repeated}** of {rows} rows of {subject} repeat an earlier row; {involved} rows are involved, "
        "first ones included.",
        "{subject} 的 {rows} 行中有 **{repeated}** 行重复了前面的行；连同首次出现共涉及 {involved} 行。",
    ),
    "outliers_none": (
        "No value lies outside the fences of 1.5 interquartile ranges{where}.",
        "没有值落在 1.5 倍四分位距的界限之外{where}。",
    ),
    "outliers_some": (
        "Values outside the fences of 1.5 interquartile ranges{where}:",
        "落在 1.5 倍四分位距界限之外的值{where}：",
    ),
    "outlier_rows": (
        "{column}: rows {rows} with values {values}{more}.",
        "{column}：第 {rows} 行，值为 {values}{more}。",
    ),
    "and_more": (" and {count} more", "，另有 {count} 个"),
    "trend_up": (
        "**{column} rises** over {when}: the {measure} goes from {first} ({start}) to {last} ({end}){where}.",
        "**{column} 随 {when} 上升**：{measure}从 {first}（{start}）到 {last}（{end}）{where}。",
    ),
    "trend_down": (
        "**{column} falls** over {when}: the {measure} goes from {first} ({start}) to {last} ({end}){where}.",
        "**{column} 随 {when} 下降**：{measure}从 {first}（{start}）到 {last}（{end}）{where}。",
    ),
    "trend_flat": (
        "**{column} shows no clear trend** over {when}: the {measure} goes from {first} ({start}) to "
        "{last} ({end}){where}.",
        "**{column} 随 {when} 没有明显趋势**：{measure}从 {first}（{start}）到 {last}（{end}）{where}。",
    ),
    "trend_slope": (
        "A straight line through the {count} {period} values changes by {slope} a {period} (correlation "
        "with time {r}).",
        "对 {count} 个{period}值拟合直线，每{period}变化 {slope}（与时间的相关系数 {r}）。",
    ),
    "trend_short": (
        "There are too few periods with values for a trend ({count}).",
        "有值的时期太少（{count}），无法判断趋势。",
    ),
    "compare_one": (
        "The mean of {column} is **{a} for {first}** and **{b} for {second}**{where}: a difference of {gap}.",
        "{column} 的平均值：**{first} 为 {a}**，**{second} 为 {b}**{where}，相差 {gap}。",
    ),
    "compare_many": (
        "{first} and {second} compared by {group}{where}; the largest standardised difference is in "
        "{column}.",
        "按 {group} 比较 {first} 与 {second}{where}；标准化差最大的是 {column}。",
    ),
    "compare_note": (
        "The standardised difference is the difference of means over the pooled standard deviation "
        "(Cohen's d).",
        "标准化差为均值之差除以合并标准差(Cohen's d)。",
    ),
    "correlation_two": (
        "The {method} correlation of {x} and {y}{where} is **{r}** ({rows} complete pairs).",
        "{x} 与 {y}{where}的 {method} 相关系数为 **{r}**（{rows} 对完整数据）。",
    ),
    "correlation_none": (
        "No correlation can be computed: it needs two columns of numbers that vary.",
        "无法计算相关系数：需要两个有变化的数值列。",
    ),
    "correlation_many": (
        "The strongest {method} correlation{where} is **{r}**, of {x} and {y}.",
        "最强的 {method} 相关{where}是 {x} 与 {y}：**{r}**。",
    ),
    "not_cause": ("A correlation is no cause.", "相关不等于因果。"),
    "top_one": (
        "The {end} {column}{where} is **{value}**: {details}.",
        "{column}{where}{end}的是 **{value}**：{details}。",
    ),
    "top_many": ("The {count} rows with the {end} {column}{where}:", "{column}{where}{end}的 {count} 行："),
    "ties": ("{count} rows share this {end} value.", "有 {count} 行并列{end}。"),
    "plotted": ("Plotted as a {kind}: {what}{where}.", "已画出{kind}：{what}{where}。"),
    "no_plot": ("The plot could not be drawn: {why}", "没有画出图：{why}"),
    "describe": (
        "{column} in {frame}{where}: {values} of {rows} rows have a value.",
        "{frame} 的 {column}{where}：{rows} 行中有 {values} 行有值。",
    ),
    "head_rise": (
        "**{x} and {y} rise together** (correlation {r}).",
        "**{x} 与 {y} 同升同降**（相关系数 {r}）。",
    ),
    "head_oppose": (
        "**{x} and {y} move in opposite ways** (correlation {r}).",
        "**{x} 与 {y} 此消彼长**（相关系数 {r}）。",
    ),
    "head_group": (
        "**{column} differs by {group}**: from {low} ({low_group}) to {high} ({high_group}) on average.",
        "**{column} 因 {group} 而异**：平均从 {low}（{low_group}）到 {high}（{high_group}）。",
    ),
    "head_shape": (
        "{frame} has **{rows} rows and {columns} columns**.",
        "{frame} 有 **{rows} 行 {columns} 列**。",
    ),
    "head_missing": (
        "{count} columns have missing values, most in {column} ({missing}).",
        "{count} 列有缺失值，最多的是 {column}（{missing} 个）。",
    ),
    "more_columns": ("{count} more columns are not shown.", "另有 {count} 列未显示。"),
    "ran_nothing": ("The code ran and gave no output.", "代码已运行，没有输出。"),
    "only_overview_csv": (
        "Without pandas or polars I can only give an overview.",
        "没有 pandas 或 polars 时，我只能给出概览。",
    ),
    "distinct_is": (
        "{column}{where} has **{value}** distinct values.",
        "{column}{where}有 **{value}** 个不同的值。",
    ),
    "count_is": ("{column}{where} has **{value}** values.", "{column}{where}有 **{value}** 个值。"),
}


def say(key: str, language: Language, **values: object) -> str:
    """The sentence in the language of the answer."""
    text = (SENTENCES.get(key) or LABELS[key])[1 if language == "zh" else 0]
    return text.format(**values) if values else text


def listed(items: list[str], language: Language) -> str:
    return ("、" if language == "zh" else ", ").join(items)
